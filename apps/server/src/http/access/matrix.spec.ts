import { API_KEYS, generateKey, type IssuedKey, type IssuedKeys } from '#features/access';
import { issuedKey } from '../../../../../libs/features/access/src/testing.ts';
import { ORGANIZATION } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

/** Which keys may call which routes (contract §1.2, A7 to A9, and the scopes of §4). */

const http = useTestApp();

type Access = 'public' | 'read' | 'write' | 'full' | 'full-write' | 'admin';

const ROUTES: Readonly<Record<Access, readonly string[]>> = {
  public: [
    'GET /',
    'GET /v3/health',
    'GET /v3/openapi',
    'GET /v3/docs',
    'GET /v3/docs/{asset}',
    'GET /v3/files/{token}',
  ],
  read: [
    'POST /v3/documents/list',
    'POST /v3/documents/documents',
    'POST /v3/documents/documents/by-ids',
    'POST /v3/documents/documents/facets',
    'GET /v3/documents/processing',
    'GET /v3/documents/{id}',
    'GET /v3/documents/{id}/chunks',
    'GET /v3/documents/{id}/events',
    'GET /v3/documents/{id}/file-url',
    'POST /v4/memories/list',
    'GET /v4/memories/{id}/events',
    'POST /v3/search',
    'POST /v4/search',
    'POST /v4/profile',
    'GET /v3/container-tags/list',
    'GET /v3/container-tags/{tag}',
    'GET /v3/container-tags/{tag}/profile',
    'GET /v3/events',
    'GET /v3/session',
  ],
  write: [
    'POST /v3/documents',
    'POST /v3/documents/batch',
    'DELETE /v3/documents/bulk',
    'POST /v3/documents/file',
    'PATCH /v3/documents/{id}',
    'DELETE /v3/documents/{id}',
    'POST /v3/documents/{id}/retry',
    'POST /v4/conversations',
    'POST /v4/memories',
    'PATCH /v4/memories',
    'DELETE /v4/memories',
    'POST /v4/memories/forget-matching',
    'POST /v4/memories/restore',
  ],
  full: [
    'GET /v3/projects',
    'GET /v3/settings',
    'GET /v3/auth/keys',
    'GET /v3/me',
    'GET /v3/account/memberships',
    'GET /v3/auth/account/memberships',
  ],
  'full-write': ['PATCH /v3/container-tags/{tag}', 'POST /v3/projects'],
  admin: [
    'DELETE /v3/container-tags/{tag}',
    'POST /v3/container-tags/merge',
    'GET /v3/container-tags/merge/{mergeId}',
    'DELETE /v3/projects/{id}',
    'PATCH /v3/settings',
    'POST /v3/settings/reset',
    'POST /v3/settings/suggest-buckets',
    'POST /v3/auth/keys',
    'PATCH /v3/auth/keys/{id}',
    'DELETE /v3/auth/keys/{id}',
    'POST /v3/auth/scoped-key',
    'DELETE /v3/auth/scoped-key/{id}',
  ],
};

const tag = (permission: 'read' | 'write') => ({ containerTags: [{ containerTag: 'a', permission }] });

const KEYS: readonly [string, Partial<IssuedKey>, readonly Access[]][] = [
  ['an owner', { role: 'owner' }, ['read', 'write', 'full', 'full-write', 'admin']],
  ['an admin', { role: 'admin' }, ['read', 'write', 'full', 'full-write', 'admin']],
  ['a member', { role: 'member' }, ['read', 'write', 'full', 'full-write']],
  ['an owner who only reads', { role: 'owner', limits: { permission: 'read' } }, ['read', 'full']],
  ['a member with a tag', { role: 'member', limits: tag('write') }, ['read', 'write']],
  ['an owner with a tag', { role: 'owner', limits: tag('write') }, ['read', 'write']],
  ['a member with a tag to read', { role: 'member', limits: tag('read') }, ['read']],
];

test('the matrix has every route', async () => {
  const { paths } = (await http.app.inject({ method: 'GET', url: '/v3/openapi' })).json() as {
    paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.sort()).toEqual(Object.values(ROUTES).flat().sort());
});

test.each(KEYS)('%s calls what the key permits, and nothing else', async (_, key, permitted) => {
  const { secret, hash } = generateKey(ORGANIZATION);
  const keys = http.app.get<IssuedKeys>(API_KEYS, { strict: false });
  keys.set('k2', { status: 'issued', key: issuedKey({ id: 'k2', organization: ORGANIZATION, hash, ...key }) }, 0);
  for (const [access, routes] of Object.entries(ROUTES)) {
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await http.app.inject({
        // The stream of events would not end.
        method: (path === '/v3/events' ? 'HEAD' : method) as 'GET',
        url: path.replaceAll(/\{\w+\}/g, 'x'),
        headers: { authorization: `Bearer ${secret}` },
        ...(method === 'GET' ? {} : { payload: {} }),
      });
      const isPermitted = access === 'public' || permitted.includes(access as Access);
      expect([route, answer.statusCode === 403]).toEqual([route, !isPermitted]);
      expect(answer.statusCode).not.toBe(401);
    }
  }
});
