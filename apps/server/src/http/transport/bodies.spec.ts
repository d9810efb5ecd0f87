import { expectErrorBody } from '../testing/expectations.ts';
import { onOneConnection } from '../testing/one-connection.ts';
import { useListeningApp } from '../testing/use-test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const http = useListeningApp({ maxBodyBytes: 200_000 });

describe('bodies', () => {
  test.each([
    ['application/json', { 'content-type': 'application/json' }],
    ['with a charset', { 'content-type': 'Application/JSON; charset=UTF-8' }],
    ['of a +json type', { 'content-type': 'application/merge-patch+json' }],
    ['of a string given to fetch', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['without a type', {}],
  ])('JSON %s is read', async (_, headers) => {
    const answer = await http.call('POST', '/v3/documents', Buffer.from('{"content":"x"}'), headers);
    expect(answer.status).toBe(200);
  });

  test('a byte order mark before JSON is ignored', async () => {
    expect((await http.call('POST', '/v3/documents', '\ufeff{"content":"x"}', JSON_TYPE)).status).toBe(200);
  });

  test.each(['{"content":"\xff"}', '{"content":"x","metadata":{"a":"\xc3("}}', '\xed\xa0\x80'])(
    'bytes that are no UTF-8 are refused: %j',
    async (bytes) => {
      const answer = await http.call('POST', '/v3/documents', Buffer.from(bytes, 'latin1'), JSON_TYPE);
      expect([answer.status, answer.body.details]).toEqual([400, 'body']);
      expect(http.fake.asked).toEqual([]);
    },
  );

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'nonsense'])(
    '%s is refused with the name of the header',
    async (type) => {
      const answer = await http.call('POST', '/v3/documents', '{"content":"x"}', { 'content-type': type });
      expect(answer.status).toBe(400);
      expectErrorBody(answer, 'invalid_request');
      expect(answer.body.message).toMatch(/content.type/i);
    },
  );

  test('an empty body is an empty object, with any content type', async () => {
    for (const headers of [JSON_TYPE, {}, { 'content-type': 'application/x-www-form-urlencoded' }]) {
      expect((await http.call('POST', '/v3/documents/list', '', headers)).status).toBe(200);
      expect((await http.call('POST', '/v3/documents/list', undefined, headers)).status).toBe(200);
      expect((await http.call('GET', '/v3/session', undefined, headers)).status).toBe(200);
      expect((await http.call('DELETE', '/v3/documents/x', undefined, headers)).status).toBe(204);
    }
    expect((await http.call('POST', '/v3/documents')).body.details).toBe('content');
  });

  test('a DELETE may have a body and answers without one', async () => {
    const answer = await http.call('DELETE', '/v3/documents/x', { reason: 'old' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test.each([200_001, 3_000_000])('a body of %d bytes is refused, and the client reads the answer', async (length) => {
    const body = JSON.stringify({ content: 'x'.repeat(length - 14) });
    expect(body).toHaveLength(length);
    const answer = await fetch(`${http.url}/v3/documents`, {
      method: 'POST',
      headers: { ...http.withKey, ...JSON_TYPE },
      body,
    });
    expect(answer.status).toBe(413);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' });
  });

  test('a body at the limit is read', async () => {
    const body = JSON.stringify({ content: 'x'.repeat(200_000 - 14) });
    const answer = await fetch(`${http.url}/v3/documents`, {
      method: 'POST',
      headers: { ...http.withKey, ...JSON_TYPE },
      body,
    });
    expect(answer.status).toBe(200);
  });

  test('broken JSON keeps the connection open', async () => {
    expect(await onOneConnection(http, ['POST', '/v3/documents', '{'], ['GET', '/'])).toEqual({
      statuses: [400, 200],
      sockets: 1,
    });
  });
});
