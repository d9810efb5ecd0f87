import { startTestApp, type TestApp } from './testing/fake-application.ts';

let test1: TestApp;
beforeAll(async () => {
  test1 = await startTestApp({});
});
afterAll(() => test1.app.close());

test('smoke', async () => {
  const { call } = test1;
  const show = async (...args: Parameters<typeof call>) => {
    const a = await call(...args);
    console.log(args[0], args[1], a.status, JSON.stringify(a.headers), a.text.slice(0, 600));
  };
  await show('GET', '/');
  await show('POST', '/v3/documents', { content: 'x' });
  await show('POST', '/v3/documents', { content: ' ' });
  await show('POST', '/v3/documents', '{', { 'content-type': 'application/json' });
  await show('GET', '/v3/documents/a%2Fb%20c');
  await show('GET', '/v3/documents/%ZZ');
  await show('GET', '/v3/documents/%FF');
  await show('GET', '/nowhere');
  await show('PATCH', '/v3/documents/x', {});
  await show('DELETE', '/v3/documents/x');
  await show('POST', '/v3/memories/list?x=%20', {});
  await show('GET', '/v3/openapi');
  await show('POST', '/v4/search', { q: 'x', include: { documents: 1 } });
  await show('POST', '/v4/search', { q: 'x', include: { documents: true }, filters: { a: 1 } });
  await show('POST', '/v4/search', { q: 'x', include: { documents: true } });
  await show('GET', '/v3/docs/swagger-ui.css');
});
