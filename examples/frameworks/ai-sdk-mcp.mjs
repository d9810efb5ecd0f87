// Vercel AI SDK with the tool server of Mneme: the model saves and searches memories by tools.
import { createMCPClient } from '@ai-sdk/mcp';
import { openai } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';
import { key, showMemories, url } from './mneme.mjs';

const user = 'ai-sdk-mcp-mara';
const headers = { authorization: `Bearer ${key}`, 'x-sm-project': user };
const mneme = await createMCPClient({ transport: { type: 'http', url: `${url}/mcp`, headers } });
const tools = await mneme.tools();

async function ask(prompt) {
  const { text } = await generateText({ model: openai.chat('gpt-5-mini'), tools, prompt, stopWhen: stepCountIs(5) });
  console.log(`user: ${prompt}\nmodel: ${text}`);
}

await ask('Remember that I am allergic to walnuts.');
await showMemories('walnuts', user);
await ask('What am I allergic to?'); // another conversation, without the first one
await mneme.close();
