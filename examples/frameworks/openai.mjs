// OpenAI SDK: only the address and two headers change. Mneme adds memories to each call and remembers what is said.
import OpenAI from 'openai';
import { key, showMemories, url } from './mneme.mjs';

const user = 'openai-mara';
const client = new OpenAI({
  baseURL: `${url}/proxy/openai/v1`, // the key of OpenAI comes from OPENAI_API_KEY
  defaultHeaders: { 'x-supermemory-api-key': key, 'x-sm-user-id': user },
});

async function ask(content) {
  const answer = await client.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content }],
  });
  console.log(`user: ${content}\nmodel: ${answer.choices[0].message.content}`);
}

await ask('I am allergic to walnuts.');
await showMemories('walnuts', user);
await ask('What am I allergic to?'); // another conversation, without the first one
