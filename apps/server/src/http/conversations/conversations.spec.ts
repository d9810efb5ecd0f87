import { SaveConversation } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const SAVE = '/v4/conversations';
const hello = { role: 'user', content: 'Hello' };

test('passes every field, and answers with the id of the document', async () => {
  const image = 'data:image/png;base64,AAAA';
  const call = { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const body = {
    conversationId: 'talk/1 %',
    containerTags: ['b', 'a'],
    metadata: { kind: 'chat' },
    entityContext: 'x',
    messages: [
      { role: 'system', content: 'Be brief.', name: 'rules' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', imageUrl: { url: 'https://a.example/b.png' } },
          { type: 'image_url', image_url: { url: image } },
        ],
      },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'rain', tool_call_id: 'call-1' },
      { role: 'tool', content: '' },
    ],
  };
  const answer = await http.call('POST', SAVE, body, { 'idempotency-key': 'once', 'x-stainless-retry-count': '1' });
  expect(answer).toMatchObject({ status: 200, body: { id: 'talk', conversationId: 'talk/1 %', status: 'queued' } });
  const { conversation, attempt, principal } = asked(http, SaveConversation);
  expect(principal).toMatchObject({ organization: 'acme', keyId: 'k1' });
  expect(attempt).toEqual({ idempotencyKey: 'once', isRetry: true });
  expect(conversation).toEqual({
    conversationId: 'talk/1 %',
    tags: ['b', 'a'],
    metadata: { kind: 'chat' },
    messages: [
      { role: 'system', parts: [{ text: 'Be brief.' }], name: 'rules' },
      {
        role: 'user',
        parts: [
          { text: 'What is this?' },
          { image: 'https://a.example/b.png' },
          { image: expect.stringMatching(/^data:image\/png;sha256,[0-9a-f]{64}$/) },
        ],
      },
      { role: 'assistant', parts: [], toolCalls: [call] },
      { role: 'assistant', parts: [], toolCalls: [call] },
      { role: 'tool', parts: [{ text: 'rain' }] },
      { role: 'tool', parts: [] },
    ],
  });
});

test('has defaults, and ignores unknown fields', async () => {
  expect((await http.call('POST', SAVE, { conversationId: 'x', messages: [hello], more: 1 })).status).toBe(200);
  const { conversation, attempt } = asked(http, SaveConversation);
  expect(attempt).toEqual({ idempotencyKey: null, isRetry: false });
  expect(conversation).toMatchObject({ tags: [], metadata: null });
});

test.each<[string, object, string]>([
  ['no conversationId', { conversationId: undefined }, 'conversationId'],
  ['an empty conversationId', { conversationId: '' }, 'conversationId'],
  ['no messages', { messages: undefined }, 'messages'],
  ['an empty list', { messages: [] }, 'messages'],
  ['messages that are no list', { messages: 'x' }, 'messages'],
  ['a message that is no object', { messages: [hello, 'x'] }, 'messages[1]'],
  ['an unknown role', { messages: [{ role: 'bot', content: 'x' }] }, 'messages[0].role'],
  ['content of a wrong type', { messages: [hello, { role: 'user', content: 1 }] }, 'messages[1].content'],
  ['empty content', { messages: [{ role: 'assistant', content: '' }] }, 'messages[0].content'],
  ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
  [
    'empty content with no tool call',
    { messages: [{ role: 'user', content: '', tool_calls: [] }] },
    'messages[0].content',
  ],
  ['an unknown part', { messages: [{ role: 'user', content: [{ type: 'audio' }] }] }, 'messages[0].content[0].type'],
  ['a part without text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
  [
    'an image without URL',
    { messages: [{ role: 'user', content: [{ type: 'image_url', imageUrl: {} }] }] },
    'messages[0].content[0].imageUrl.url',
  ],
  ['a wrong name', { messages: [{ ...hello, name: 1 }] }, 'messages[0].name'],
  ['wrong tool calls', { messages: [{ ...hello, tool_calls: ['x'] }] }, 'messages[0].tool_calls'],
  ['a wrong tool_call_id', { messages: [{ ...hello, tool_call_id: 1 }] }, 'messages[0].tool_call_id'],
  ['wrong metadata', { metadata: { a: [] } }, 'metadata.a'],
  ['too long an entityContext', { entityContext: 'x'.repeat(1501) }, 'entityContext'],
])('%s is refused', async (_, part, field) => {
  const answer = await http.call('POST', SAVE, { conversationId: 'x', messages: [hello], ...part });
  expect(answer).toMatchObject({ status: 400, body: { details: field } });
  expect(http.fake.asked).toEqual([]);
});

test.each([
  ['forbidden', 403, 'forbidden'],
  ['backlog_full', 503, 'unavailable'],
  ['tag_merging', 409, 'conflict'],
  ['idempotency_key_reused', 409, 'conflict'],
])('%s', async (refusal, status, code) => {
  http.fake.refusal = refusal;
  const answer = await http.call('POST', SAVE, { conversationId: 'x', messages: [hello] });
  expect(answer.status).toBe(status);
  expectErrorBody(answer, code);
});
