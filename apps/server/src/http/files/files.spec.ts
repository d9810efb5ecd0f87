import { OpenFile } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

test('a file is served without a key, as a download that a browser does not run', async () => {
  const answer = await http.call('GET', '/v3/files/a.b_c-d', undefined, { authorization: '' });
  expect(answer.status).toBe(200);
  expect(answer.text).toBe('a,b\n1');
  expect(answer.headers).toMatchObject({
    'content-type': 'text/csv',
    'content-length': '5',
    'content-disposition': 'attachment; filename="_bersicht.csv"; filename*=UTF-8\'\'%C3%9Cbersicht.csv',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'cache-control': 'no-store',
    'accept-ranges': 'bytes',
  });
  expect(asked(http, OpenFile).token).toBe('a.b_c-d');
});

test('a part of a file is served', async () => {
  const part = await http.call('GET', '/v3/files/a', undefined, { range: 'bytes=2-3' });
  expect({ status: part.status, text: part.text }).toEqual({ status: 206, text: 'b\n' });
  expect(part.headers).toMatchObject({
    ...{ 'content-range': 'bytes 2-3/5', 'content-length': '2', 'content-type': 'text/csv' },
    'content-security-policy': 'sandbox',
  });
  const beyond = await http.call('GET', '/v3/files/a', undefined, { range: 'bytes=5-' });
  expect(beyond.status).toBe(416);
  expect(beyond.headers).toMatchObject({ 'content-range': 'bytes */5' });
  expectErrorBody(beyond, 'range_not_satisfiable');
  const changed = await http.call('GET', '/v3/files/a', undefined, { range: 'bytes=2-3', 'if-range': '"x"' });
  expect({ status: changed.status, text: changed.text }).toEqual({ status: 200, text: 'a,b\n1' });
});

test('a dead link reveals nothing', async () => {
  http.fake.refusal = 'dead_link';
  const answer = await http.call('GET', '/v3/files/anything', undefined, { authorization: '' });
  expect(answer.status).toBe(404);
  expectErrorBody(answer, 'not_found');
  expect(answer.headers).not.toHaveProperty('content-disposition');
});
