import { readFile } from 'node:fs/promises';
import { extractDocument } from '../index.ts';

const FIXTURES = new URL('../../../../../test/fixtures/conversations/', import.meta.url);

const QUESTION = 'When is high water at pier two?';
const ANSWER = 'High water at pier two is at six.';
const tides = (user: string, assistant: string) =>
  [`${user}: ${QUESTION}`, `${assistant}: [calls tide {"pier": 2}]`, 'tool: 06:00', `${assistant}: ${ANSWER}`].join(
    '\n',
  );
const SYSTEM = 'system: You know the harbour.';
const compact = (text: string) => text.replace('"pier": 2', '"pier":2');
const CHAT = [
  '[5 March 2024, 09:30] Orla: The crane at pier four is closed.',
  '[5 March 2024, 21:31] Bram Claes: I berth at pier two.\nNote: bring the keys',
  '[1 April 2024, 00:05] Orla: It opens again.',
].join('\n');

/** Made by the script beside them. */
test.each([
  ['openai-python-chat.json', `${SYSTEM}\n${tides('user', 'assistant')}`],
  ['openai-python-responses.json', `${SYSTEM}\n${tides('user', 'assistant')}`],
  ['langchain-openai.jsonl', `${SYSTEM}\n${tides('user (Dana)', 'assistant')}`],
  [
    'anthropic-python.json',
    compact(`${SYSTEM}\n${tides('user', 'assistant').replace('[calls', 'I look at the tables.\n[calls')}`),
  ],
  ['google-genai.json', compact(`${SYSTEM}\n${tides('user', 'model')}`)],
  ['google-genai-fields.json', compact(tides('user', 'model'))],
  ['whatstk-24-hours.txt', CHAT],
  ['whatstk-12-hours.txt', CHAT],
  ['whatstk-brackets.txt', CHAT],
])('%s is a conversation', async (name, text) => {
  const kind = name.endsWith('.txt') ? 'text' : 'json';
  const body = await readFile(new URL(name, FIXTURES));
  const found = await extractDocument({ body, kind, fileName: null, documentDate: null });
  expect(found.text).toBe(text);
  expect(found.memories.every(({ speaker }) => speaker !== null)).toBe(true);
});
