// Vercel AI SDK with @supermemory/tools: the model saves and searches memories by tools.
import { openai } from '@ai-sdk/openai';
import { supermemoryTools } from '@supermemory/tools/ai-sdk';
import { generateText, stepCountIs } from 'ai';
import { key, showMemories, url } from './mneme.mjs';

const user = 'ai-sdk-tools-mara';
const tools = supermemoryTools(key, { baseUrl: url, containerTags: [user] });

async function ask(prompt) {
  const { text } = await generateText({ model: openai.chat('gpt-5-mini'), tools, prompt, stopWhen: stepCountIs(5) });
  console.log(`user: ${prompt}\nmodel: ${text}`);
}

await ask('Remember that I am allergic to walnuts.');
await showMemories('walnuts', user);
await ask('What am I allergic to?'); // another conversation, without the first one
