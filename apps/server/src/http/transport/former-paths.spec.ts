import { onOneConnection } from '../testing/one-connection.ts';
import { useListeningApp } from '../testing/use-test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const http = useListeningApp();

describe('redirects of the former paths', () => {
  test.each([
    ['/v3/memories', '/v3/documents'],
    ['/v3/memories/', '/v3/documents/'],
    ['/v3/memories?page=2&x=%2F', '/v3/documents?page=2&x=%2F'],
    ['/v3/memories/list', '/v3/documents/list'],
    ['/v3/memories/a%2Fb%20c/chunks', '/v3/documents/a%2Fb%20c/chunks'],
    ['/v3/memories/%ZZ', '/v3/documents/%ZZ'],
  ])('%s', async (from, to) => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const answer = await http.app.inject({ method: method as 'GET', url: from });
      expect(answer.statusCode).toBe(308);
      expect(answer.headers.location).toBe(to);
    }
  });

  test.each(['/v3/memoriesx', '/v4/memories', '/v3/documents/memories'])('%s is not redirected', async (url) => {
    expect((await http.call('GET', url)).status).not.toBe(308);
  });

  test('fetch follows with method, key and body', async () => {
    const body = JSON.stringify({ content: 'x'.repeat(150_000) });
    const answer = await fetch(`${http.url}/v3/memories`, {
      method: 'POST',
      headers: { ...http.withKey, ...JSON_TYPE },
      body,
    });
    expect(answer.status).toBe(200);
    expect(answer.redirected).toBe(true);
    expect(http.fake.asked).toHaveLength(1);
  });

  test('a large body is drained and keeps the connection open', async () => {
    const large = Buffer.alloc(5_000_000, 'x');
    expect(await onOneConnection(http, ['POST', '/v3/memories/file', large], ['GET', '/'])).toEqual({
      statuses: [308, 200],
      sockets: 1,
    });
  });
});
