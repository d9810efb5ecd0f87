import { headersToCaller, headersToProvider, type PassedCall } from './passed-headers.ts';
import { KNOWN_PROVIDERS, type Provider } from './providers.ts';
import { serviceKeyOf } from './service-keys.ts';

const KEY = 'sm_acme_0123456789012345678901';

const call = (name: string, details: Partial<PassedCall> = {}, key: string | null = null): PassedCall => ({
  provider: { ...(KNOWN_PROVIDERS.find((provider) => provider.name === name) as Provider), key },
  ...{ url: new URL('https://host.example/v1/chat/completions'), hasKey: false, length: 2, ...details },
});

test('a provider gets the headers of the caller as they are, without ours and those of the connection', () => {
  const raw = [
    ...['Host', 'memory.example', 'User-Agent', 'client/1', 'X-Stainless-Lang', 'js', 'x-supermemory-api-key', KEY],
    ...['Authorization', 'Bearer sk-1', 'x-sm-user-id', 'mara', 'x-sm-conversation-id', 'c', 'Cookie', 'a=b'],
    ...['Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'Transfer-Encoding', 'chunked', 'Content-Length', '17'],
    ...['X-Forwarded-For', '10.0.0.1', 'Expect', '100-continue', 'anthropic-beta', 'a', 'anthropic-beta', 'b'],
    ...['Accept-Encoding', 'gzip, br'],
  ];
  expect(headersToProvider(raw, call('openai'))).toEqual([
    ...['User-Agent', 'client/1', 'X-Stainless-Lang', 'js', 'Authorization', 'Bearer sk-1'],
    ...['anthropic-beta', 'a', 'anthropic-beta', 'b', 'Accept-Encoding', 'gzip, br', 'Content-Length', '2'],
  ]);
});

test('a body that passes has the length that its caller declares', () => {
  const passing = call('openai', { length: undefined });
  expect(headersToProvider(['Content-Length', '17'], passing)).toEqual(['Content-Length', '17']);
  expect(headersToProvider(['Transfer-Encoding', 'chunked'], passing)).toEqual(['Transfer-Encoding', 'chunked']);
  expect(headersToProvider([], passing)).toEqual([]);
});

test.each([
  ['openai', 'https://host.example/v1/models', ['Authorization', 'Bearer pk']],
  ['anthropic', 'https://host.example/v1/messages', ['x-api-key', 'pk']],
  ['gemini', 'https://host.example/v1beta/models/m:generateContent', ['x-goog-api-key', 'pk']],
  ['gemini', 'https://host.example/v1beta/openai/chat/completions', ['Authorization', 'Bearer pk']],
])('%s at %s is given its key', (name, address, header) => {
  const url = new URL(address);
  const details = { url, length: undefined };
  expect(headersToProvider(['Authorization', `Bearer ${KEY}`], call(name, details, 'pk'))).toEqual(header);
  const named = ['Authorization', `Bearer ${KEY}`, 'X-Sm-Provider-Key', 'pk'];
  expect(headersToProvider(named, call(name, details))).toEqual(header);
});

test('the key of the operator is for callers without one', () => {
  const details = { length: undefined };
  for (const own of [
    ['Authorization', 'Bearer sk-1'],
    ['x-api-key', 'sk-1'],
    ['api-key', 'sk-1'],
  ]) {
    expect(headersToProvider(['x-supermemory-api-key', KEY, ...own], call('openai', details, 'pk'))).toEqual(own);
  }
  expect(headersToProvider([], call('openai', { ...details, hasKey: true }, 'pk'))).toEqual([]);
});

test.each(['Authorization', 'x-api-key', 'x-goog-api-key', 'X-Custom'])(
  'a key of this server in %s never goes on',
  (name) => {
    for (const value of [KEY, `Bearer ${KEY}`, ` bearer  ${KEY}`]) {
      expect(headersToProvider([name, value], call('openai', { length: undefined }))).toEqual([]);
    }
  },
);

test('an answer passes without cookies and what would hold for this server', () => {
  const raw = [
    ...['Content-Type', 'application/json', 'X-Request-Id', 'r', 'Set-Cookie', 'a=b', 'set-cookie2', 'c'],
    ...['Connection', 'close', 'Transfer-Encoding', 'chunked', 'Strict-Transport-Security', 'max-age=1'],
    ...['Access-Control-Allow-Origin', 'https://a', 'Alt-Svc', 'h3', 'x-supermemory-error', 'no', 'Retry-After', '7'],
  ];
  expect(headersToCaller(raw)).toEqual([
    ...['Content-Type', 'application/json', 'X-Request-Id', 'r', 'Retry-After', '7'],
  ]);
});

test.each([
  [{ 'x-supermemory-api-key': KEY, authorization: 'Bearer sk-1' }, KEY],
  [{ 'x-supermemory--api-key': `Bearer ${KEY}` }, KEY],
  [{ 'x-supermemory-api-key': 'wrong', authorization: `Bearer ${KEY}` }, 'wrong'],
  [{ authorization: `Bearer ${KEY}` }, KEY],
  [{ 'x-api-key': KEY }, KEY],
  [{ authorization: 'Bearer sk-1', 'x-goog-api-key': KEY }, KEY],
  [{ authorization: 'Bearer sk-1' }, undefined],
  [{ authorization: `Basic ${KEY}` }, undefined],
  [{}, undefined],
])('the key of this server in %j', (headers, key) => {
  expect(serviceKeyOf(headers)).toBe(key);
});
