import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

test('the owner of the key has an organization and a role', async () => {
  expect((await http.call('GET', '/v3/me')).body).toEqual({
    ...{ userId: 'k1', name: 'owner', email: null },
    ...{ orgId: 'acme', orgName: 'Acme', role: 'owner' },
  });
});

test.each(['/v3/account/memberships', '/v3/auth/account/memberships'])('%s names the organization', async (path) => {
  const memberships = [{ orgId: 'acme', orgName: 'Acme', role: 'owner' }];
  expect((await http.call('GET', path)).body).toEqual({ memberships });
});

test.each(['/v3/me', '/v3/account/memberships', '/v3/auth/account/memberships'])('%s needs a key', async (path) => {
  expect((await http.call('GET', path, undefined, { authorization: '' })).status).toBe(401);
});
