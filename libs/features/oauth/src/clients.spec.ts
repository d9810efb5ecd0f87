import { answerAddress, checkWish, isResource } from './authorization.ts';
import { isDocumentAddress, nameOf, readDocument, redirectUrisOf } from './clients.ts';
import { isOneOf, isRedirectUri, placeOf } from './redirect-uris.ts';
import { accessIn, scopeOf } from './scopes.ts';

test.each([
  ['https://app.example/callback?x=1', true],
  ['http://127.0.0.1/callback', true],
  ['http://127.0.0.1:8123/callback', true],
  ['http://[::1]:8123/', true],
  ['http://localhost:3000/cb', true],
  ['cursor://anysphere.cursor/callback', true],
  ['com.example.app:/callback', true],
  ['http://app.example/callback', false],
  ['http://127.0.0.1.evil.example/', false],
  ['https://app.example/#x', false],
  ['https://app.example/#', false],
  ['https://user@app.example/', false],
  ['javascript:alert(1)', false],
  ['javascript://x/%0aalert(1)', false],
  ['JavaScript:alert(1)', false],
  ['data:text/html,x', false],
  ['blob:https://app.example/1', false],
  ['file:///etc/passwd', false],
  ['ws://app.example/', false],
  ['https://app.example/a b', false],
  ['/callback', false],
  ['', false],
  [`https://app.example/${'x'.repeat(500)}`, false],
])('whether %s may be gone back to: %s', (uri, isPermitted) => {
  expect(isRedirectUri(uri)).toBe(isPermitted);
});

test('an address is compared as it is, but for the port of a program on loopback', () => {
  const registered = ['https://app.example/cb', 'http://127.0.0.1/cb', 'http://localhost:1/cb'];
  for (const uri of ['https://app.example/cb', 'http://127.0.0.1:9/cb', 'http://localhost:2/cb']) {
    expect([uri, isOneOf(registered, uri)]).toEqual([uri, true]);
  }
  for (const uri of [
    'https://app.example:444/cb',
    'https://app.example/cb/',
    'http://127.0.0.1/cbx',
    'http://[::1]/cb',
    'x',
  ]) {
    expect([uri, isOneOf(registered, uri)]).toEqual([uri, false]);
  }
  expect(['https://app.example:444/cb', 'cursor://x/cb'].map(placeOf)).toEqual(['app.example:444', 'cursor']);
});

test.each([
  ['https://app.example/client.json', true],
  ['https://app.example/', false],
  ['https://app.example', false],
  ['http://app.example/client.json', false],
  ['https://app.example/client.json?x=1', false],
  ['https://app.example/client.json#x', false],
  ['https://app.example/../client.json', false],
  ['https://user@app.example/client.json', false],
  ['Notebook', false],
])('whether %s is the address of metadata: %s', (text, isAddress) => {
  expect(isDocumentAddress(text)).toBe(isAddress);
});

test('metadata names its own address, has no secret, and a name for people', () => {
  const address = 'https://app.example/client.json';
  const document = { client_id: address, redirect_uris: ['https://app.example/cb'] };
  expect(readDocument(address, document)).toEqual({
    ...{ ok: true, value: { name: 'app.example', redirectUris: ['https://app.example/cb'] } },
  });
  expect(readDocument(address, { ...document, token_endpoint_auth_method: 'none', client_name: 7 }).ok).toBe(true);
  for (const wrong of [
    null,
    [],
    { client_id: 'x' },
    { token_endpoint_auth_method: 'client_secret_post' },
    { redirect_uris: 'x' },
  ]) {
    const read = readDocument(address, wrong === null || Array.isArray(wrong) ? wrong : { ...document, ...wrong });
    expect([wrong, read.ok]).toEqual([wrong, false]);
  }
});

test('a name has no characters that hide or turn others, and addresses have an end', () => {
  expect(nameOf(' A\u202eb\u0000\u2028\ud800 ', 'x')).toBe('Ab\ufffd');
  expect([nameOf('\u200b', 'x'), nameOf(undefined, 'x'), nameOf('é'.repeat(200), 'x').length]).toEqual(['x', 'x', 100]);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `https://app.example/${index}`);
  expect([redirectUrisOf(many(10))?.length, redirectUrisOf(many(11)), redirectUrisOf([1])]).toEqual([10, null, null]);
  expect(redirectUrisOf([1, 2, 3].map((index) => `https://app.example/${index}${'x'.repeat(400)}`))).toBeNull();
});

test('what is asked for is for the tools, and at most what scopes say', () => {
  expect(
    [undefined, 'read', 'write', 'read write offline_access', 'offline_access read', 'admin'].map(accessIn),
  ).toEqual([...['write', 'read', 'write', 'write', 'read', null]]);
  expect([scopeOf('read'), scopeOf('write')]).toEqual(['read', 'read write']);
  const resource = 'https://memory.example/mcp';
  expect(
    [undefined, resource, `${resource}/`, 'https://memory.example', `${resource}/x`].map((one) =>
      isResource(one, resource),
    ),
  ).toEqual([true, true, true, false, false]);
  const client = { id: 'x', name: 'X', address: null, redirectUris: ['https://app.example/cb'] };
  const wish = {
    clientId: 'x',
    redirectUri: 'https://app.example/cb',
    challenge: 'c',
    state: null,
    scope: undefined,
    resource,
  };
  expect(checkWish(wish, client, resource)).toEqual({ ok: true, value: { access: 'write' } });
  expect(checkWish({ ...wish, redirectUri: 'https://app.example/x' }, client, resource)).toMatchObject({ ok: false });
});

test('the answer keeps the query of the address, and names this server', () => {
  const pending = { redirectUri: 'https://app.example/cb?a=1', state: 'x&y' };
  expect(answerAddress(pending, 'https://memory.example', { code: 'c' })).toBe(
    'https://app.example/cb?a=1&code=c&state=x%26y&iss=https%3A%2F%2Fmemory.example',
  );
  expect(answerAddress({ redirectUri: 'cursor://x/cb', state: null }, 'https://m.example', { code: 'c' })).toBe(
    'cursor://x/cb?code=c&iss=https%3A%2F%2Fm.example',
  );
});
