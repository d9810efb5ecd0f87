// LangChain: an agent saves memories by the tools of Mneme; a plain model gets them, because it is called through Mneme.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { key, showMemories, url } from './mneme.mjs';

const user = 'langchain-mara';
const model = new ChatOpenAI({
  model: 'gpt-5-mini',
  configuration: {
    baseURL: `${url}/proxy/openai/v1`, // the key of OpenAI comes from OPENAI_API_KEY
    defaultHeaders: { 'x-supermemory-api-key': key, 'x-sm-user-id': user },
  },
});
const mneme = new MultiServerMCPClient({
  mneme: { transport: 'http', url: `${url}/mcp`, headers: { authorization: `Bearer ${key}`, 'x-sm-project': user } },
});
const agent = createAgent({ model, tools: await mneme.getTools() });

const told = 'Remember that I am allergic to walnuts.';
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: told }] });
console.log(`user: ${told}\nmodel: ${messages.at(-1).content}`);
await showMemories('walnuts', user);

const question = 'What am I allergic to?'; // another conversation, without the first one and without tools
console.log(`user: ${question}\nmodel: ${(await model.invoke(question)).content}`);
await mneme.close();
