import { API_KEYS, type IssuedKeys } from '#features/access';
import { startTestApp } from '../testing/fake-application.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp({
  publicUrl: 'https://memory.example.com',
  hosts: ['mneme.lan'],
  origins: ['https://chat.example.com', 'app://notes'],
});

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const METADATA = 'resource_metadata="https://memory.example.com/.well-known/oauth-protected-resource/mcp"';

describe('who may call', () => {
  test.each([
    'localhost',
    'localhost:6767',
    '127.0.0.1:6767',
    '127.9.9.9',
    '[::1]:6767',
    'memory.example.com',
    'MNEME.lan:6767',
  ])('the Host %s is answered', async (host) => {
    expect((await http.call('POST', '/mcp', LIST, { host })).status).toBe(200);
  });

  test.each(['evil.example.com', 'localhost.evil.example.com', '127.0.0.1.evil.example.com', '10.0.0.7', 'a b'])(
    'the Host "%s" is refused',
    async (host) => {
      const { status, body } = await http.call('POST', '/mcp', LIST, { host, authorization: '' });
      expect([status, body.error?.data.code]).toEqual([403, 'forbidden']);
      expect(body.error.message).toContain('MNEME_HOSTS');
    },
  );

  test.each([
    'https://memory.example.com',
    'http://localhost:6274',
    'https://127.0.0.1',
    'https://chat.example.com',
    'app://notes',
  ])('a page of %s may call, and read the answer', async (origin) => {
    const { status, headers } = await http.call('POST', '/mcp', LIST, { origin });
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([200, origin, 'Origin']);
    expect(headers['access-control-expose-headers']).toContain('WWW-Authenticate');
    const preflight = await http.call('OPTIONS', '/mcp/', undefined, {
      ...{ origin, 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'authorization, mcp-protocol-version, Mcp-Param-Region, x-sm-project, x-evil',
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin]);
    expect(preflight.headers['access-control-allow-headers']).toBe(
      'authorization, mcp-protocol-version, Mcp-Param-Region, x-sm-project',
    );
  });

  test.each(['https://evil.example.com', 'http://memory.example.com', 'https://chat.example.com:444', 'null'])(
    'a page of %s may not',
    async (origin) => {
      for (const path of ['/mcp', '/mcp/', '/%6dcp']) {
        const { status, headers } = await http.call('POST', path, LIST, { origin });
        expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 403, undefined]);
      }
      const { headers } = await http.call('OPTIONS', '/mcp', undefined, {
        origin,
        'access-control-request-method': 'POST',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(
        (await http.call('POST', '/v4/search', { q: 'x' }, { origin })).headers['access-control-allow-origin'],
      ).toBe('*');
    },
  );
});

describe('authentication', () => {
  test.each([
    ['', `Bearer ${METADATA}`],
    ['Bearer sm_unknown_0123456789abcdef', `Bearer error="invalid_token", ${METADATA}`],
    ['Basic eDp5', `Bearer error="invalid_token", ${METADATA}`],
  ])('the header "%s" is a 401 that says how to get a key', async (authorization, expected) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status, headers, body } = await http.call(method, '/mcp', method === 'POST' ? LIST : undefined, {
        authorization,
      });
      expect([method, status, headers['www-authenticate']]).toEqual([method, 401, expected]);
      expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
    }
  });

  test('without OAuth, the metadata of the resource names no authorization server', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, body } = await http.call('GET', path, undefined, { authorization: '' });
      expect([status, body]).toEqual([
        200,
        {
          resource: 'https://memory.example.com/mcp',
          resource_name: 'Mneme',
          bearer_methods_supported: ['header'],
          resource_documentation: 'https://memory.example.com/v3/docs',
        },
      ]);
    }
  });

  test('while keys cannot be checked, the answer is 503 and not that the key is wrong: clients would sign out', async () => {
    const { app, call } = await startTestApp();
    const keys = app.get<IssuedKeys>(API_KEYS, { strict: false });
    keys.isCurrent = () => false;
    const { status, headers, body } = await call('POST', '/mcp', LIST);
    expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '5', undefined]);
    expect(body).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'unavailable' } } });
    await app.close();
  });

  test('the cookie of a session does not count', async () => {
    const cookie = 'mneme_session=sm_session_0123456789abcdef; __Host-mneme_session=sm_session_0123456789abcdef';
    const { status, headers } = await http.call('POST', '/mcp', LIST, { authorization: '', cookie });
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  });
});

describe('messages', () => {
  test.each([
    ['{', -32_700, null],
    ['\xff', -32_700, null],
    [[LIST, LIST], -32_600, null],
    [{ ...LIST, jsonrpc: '1.0' }, -32_600, 7],
    [{ ...LIST, method: 9 }, -32_600, 7],
  ])('%j is refused as a message', async (payload, code, id) => {
    const { status, body } = await http.call('POST', '/mcp', payload, { 'content-type': 'application/json' });
    expect([status, body.error.code, body.id]).toEqual([400, code, id]);
  });

  test('another content type is refused', async () => {
    const { status, body } = await http.call('POST', '/mcp', '<a/>', { 'content-type': 'application/xml' });
    expect([status, body.error.data.code]).toEqual([400, 'invalid_request']);
  });

  test('a notification is taken without an answer, an unknown method is named, and there is neither a stream nor a session', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await http.call('POST', '/mcp', notification)).toMatchObject({ status: 202, text: '' });
    const unknown = await http.call('POST', '/mcp', { ...LIST, method: 'nothing' });
    expect([unknown.status, unknown.body.error.code]).toEqual([200, -32_601]);
    for (const method of ['GET', 'DELETE']) {
      expect(await http.call(method, '/mcp')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  test('the tag of the connection is checked as any other', async () => {
    const { status, body } = await http.call('POST', '/mcp', LIST, { 'x-sm-project': 'x'.repeat(256) });
    expect([status, body.error.message]).toEqual([400, 'x-sm-project must have at most 255 characters']);
  });

  test('an error inside the server is named without its reason, in an answer that the model reads', async () => {
    http.fake.fault = new Error('the password is 1234');
    const call = { ...LIST, method: 'tools/call', params: { name: 'search_memory', arguments: { query: 'x' } } };
    const { status, body } = await http.call('POST', '/mcp', call);
    expect([status, body.result]).toEqual([
      200,
      { isError: true, content: [{ type: 'text', text: 'Error: Something went wrong on the server' }] },
    ]);
    const prompt = await http.call('POST', '/mcp', { ...LIST, method: 'prompts/get', params: { name: 'context' } });
    expect(prompt.body.result.messages[0].content.text).toBe(
      'What is remembered about the user could not be loaded: Something went wrong on the server',
    );
    const read = { ...LIST, method: 'resources/read', params: { uri: 'supermemory://profile' } };
    expect((await http.call('POST', '/mcp', read)).body.error).toEqual({
      code: -32_603,
      message: 'Something went wrong on the server',
    });
  });
});

test('an upload without a link that was prepared for it is refused', async () => {
  const form = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n';
  const type = { 'content-type': 'multipart/form-data; boundary=b' };
  const { status, body } = await http.call('POST', '/upload/x', form, type);
  expect([status, body.code]).toEqual([404, 'not_found']);
});
