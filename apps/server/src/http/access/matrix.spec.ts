import { API_KEYS, generateKey, type IssuedKey, type IssuedKeys } from '#features/access';
import type { Permission } from '#platform/kernel';
import { issuedKey } from '../../../../../libs/features/access/src/testing.ts';
import { startTestApp } from '../testing/fake-application.ts';
import { ORGANIZATION } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

/** Which keys may call which routes, by what each route declares (contract §1.2, A7 to A9). openapi.spec.ts has the list. */

const http = useTestApp();

type Access = Permission | null;

async function routes(): Promise<readonly (readonly [string, string, Access])[]> {
  const { body } = await http.call('GET', '/v3/openapi');
  return Object.entries<Record<string, { 'x-permission': Access }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => [method, path, route['x-permission']] as const),
  );
}

const tag = (permission: 'read' | 'write') => ({ containerTags: [{ containerTag: 'a', permission }] });

const KEYS: readonly [string, Partial<IssuedKey>, readonly Permission[]][] = [
  ['an owner', { role: 'owner' }, ['read', 'write', 'full', 'full-write', 'admin']],
  ['an admin', { role: 'admin' }, ['read', 'write', 'full', 'full-write', 'admin']],
  ['a member', { role: 'member' }, ['read', 'write', 'full', 'full-write']],
  ['an owner who only reads', { role: 'owner', limits: { permission: 'read' } }, ['read', 'full']],
  ['a member with a tag', { role: 'member', limits: tag('write') }, ['read', 'write']],
  ['an owner with a tag', { role: 'owner', limits: tag('write') }, ['read', 'write']],
  ['a member with a tag to read', { role: 'member', limits: tag('read') }, ['read']],
];

test.each(KEYS)('%s calls what the key permits, and nothing else', async (_, key, permitted) => {
  const { secret, hash } = generateKey(ORGANIZATION);
  const keys = http.app.get<IssuedKeys>(API_KEYS, { strict: false });
  keys.set('k2', { status: 'issued', key: issuedKey({ id: 'k2', organization: ORGANIZATION, hash, ...key }) }, 0);
  await expectToCall(http.app, secret, (access) => access === null || permitted.includes(access));
});

test('the key of the installation manages organizations, and nothing else', async () => {
  const installationKey = 'sm_key_of_the_installation';
  const { app } = await startTestApp({ installationKey });
  await expectToCall(app, installationKey, (access) => access === null || access === 'installation');
  await app.close();
});

async function expectToCall(app: typeof http.app, secret: string, isPermitted: (access: Access) => boolean) {
  for (const [method, path, access] of await routes()) {
    const answer = await app.inject({
      // The stream of events would not end.
      method: (path === '/v3/events' ? 'HEAD' : method.toUpperCase()) as 'GET',
      url: path.replaceAll(/\{\w+\}/g, 'x'),
      // A page of the server: a key is exchanged for a session there only.
      headers: { authorization: `Bearer ${secret}`, origin: 'http://localhost:80' },
      ...(method === 'get' ? {} : { payload: {} }),
    });
    expect([method, path, answer.statusCode === 403]).toEqual([method, path, !isPermitted(access)]);
    expect(answer.statusCode).not.toBe(401);
  }
}
