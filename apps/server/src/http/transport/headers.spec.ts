import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

describe('headers of every answer', () => {
  test.each(['abc-123', 'a/b:c=1@x+y.z_'])('request id %s is echoed', async (id) => {
    expect((await http.call('GET', '/nowhere', undefined, { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  test.each(['', 'with space', 'x'.repeat(129), 'é', '<script>'])('request id %j is replaced', async (id) => {
    const { headers } = await http.call('GET', '/', undefined, { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9]{22}$/);
  });

  test('answers are not cached and allow any origin, also for a malformed URL', async () => {
    for (const url of ['/', '/v3/session', '/nowhere', '/v3/documents/%ZZ', '/v3/memories']) {
      expect((await http.call('GET', url)).headers).not.toHaveProperty('access-control-allow-origin');
      expect((await http.call('GET', url, undefined, { origin: 'https://example.com' })).headers).toMatchObject({
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('x-ratelimit-remaining'),
      });
    }
  });

  test.each(['/v3/documents', '/v3/documents/a%2Fb', '/v3/memories', '/nowhere'])('preflight of %s', async (url) => {
    const answer = await http.app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization, x-stainless-os,X-SM-Source, x-evil',
      },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'authorization, x-stainless-os, X-SM-Source',
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('HEAD answers like GET, without a body', async () => {
    const answer = await http.call('HEAD', '/');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  });
});
