// Anthropic SDK: only the address and two headers change. Mneme adds memories to each call and remembers what is said.
import Anthropic from '@anthropic-ai/sdk';
import { key, showMemories, url } from './mneme.mjs';

const user = 'anthropic-mara';
const client = new Anthropic({
  baseURL: `${url}/proxy/anthropic`, // the key of Anthropic comes from ANTHROPIC_API_KEY
  defaultHeaders: { 'x-supermemory-api-key': key, 'x-sm-user-id': user },
});

async function ask(content) {
  const answer = client.messages.stream({
    model: 'claude-sonnet-4-5',
    max_tokens: 1000,
    messages: [{ role: 'user', content }],
  });
  console.log(`user: ${content}\nmodel: ${await answer.finalText()}`);
}

await ask('I am allergic to walnuts.');
await showMemories('walnuts', user);
await ask('What am I allergic to?'); // another conversation, without the first one
