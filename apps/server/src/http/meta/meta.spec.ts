import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

test('the session names owner and permissions of the key', async () => {
  expect((await http.call('GET', '/v3/session')).body).toEqual({
    user: { id: 'k1' },
    org: { id: 'acme' },
    role: 'owner',
    accessType: 'full',
    containerTags: null,
    scope: { type: 'full', permission: 'write' },
  });
});

test('service and health answer without details of stored data', async () => {
  expect((await http.call('GET', '/')).body).toEqual({ status: 'ok', name: 'mneme', version: '1.2.3' });
  expect((await http.call('GET', '/v3/health')).body).toMatchObject({ status: 'ok', search: { model: null } });
});
