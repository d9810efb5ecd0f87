import { requestAge } from '#platform/kernel';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

async function upload() {
  const form = new FormData();
  form.append('file', new Blob(['The kettle is blue.']), 'kettle.txt');
  const sent = new Response(form);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  return http.call('POST', '/v3/documents/file', Buffer.from(await sent.arrayBuffer()), headers);
}

test.each([
  ['a GET', () => http.call('GET', '/v3/documents/one')],
  ['a JSON body', () => http.call('POST', '/v3/documents', { content: 'x'.repeat(200_000) })],
  ['an upload', upload],
])('what handles %s knows the age of the request', async (_, send) => {
  const ages: number[] = [];
  http.fake.asked.push = () => ages.push(requestAge());
  expect((await send()).status).toBe(200);
  expect(ages).toEqual([expect.any(Number)]);
  expect(ages[0]).toBeGreaterThan(0);
});
