import type { OrganizationId } from '#platform/kernel';
import { ConnectionFlows } from './connection-flows.ts';

/** Secrets, which processes share. */
function secrets() {
  const values = new Map<string, string>();
  return {
    get: async ({ name }: { readonly name: string }) => values.get(name) ?? null,
    put: async ({ name }: { readonly name: string }, value: string) => void values.set(name, value),
    list: async () =>
      [...values.keys()].map((name) => ({ organization: 'installation', name, changedAt: 0, key: 'k', opens: true })),
  };
}

const BEGUN = {
  ...{ organization: 'org' as OrganizationId, id: 'c1', provider: 'google-drive', actor: 'key:k', tags: ['farm'] },
  ...{ setup: { syncScope: 'full' }, metadata: null, documentLimit: null, filters: {}, verifier: 'v' },
  redirectUrl: null,
};

function open(store = secrets()) {
  const clock = { time: 0, now: () => clock.time };
  const options = { publicUrl: 'https://memory.example', redirects: ['https://app.example'], secrets: store, clock };
  return { clock, flows: new ConnectionFlows(options), other: new ConnectionFlows(options) };
}

const partOf = (address: string) => new URL(address).hash.slice(1);

test('one process opens what another one has begun, for an hour, and as nothing else', async () => {
  const { clock, flows, other } = open();
  const begun = await flows.begin(BEGUN);
  if (!begun.ok) throw new Error(begun.error);
  expect(await other.open('begun', begun.value)).toMatchObject(BEGUN);
  expect(await other.open('permitted', begun.value)).toBeNull();
  expect(await other.open('begun', `${begun.value}x`)).toBeNull();
  expect(await open().flows.open('begun', begun.value)).toBeNull();
  clock.time = 3_600_000;
  expect(await other.open('begun', begun.value)).toBeNull();
});

test('pages are opened with what belongs to them behind the address', async () => {
  const { clock, flows, other } = open();
  const permission = { account: 'ada@example.org', setup: {}, secrets: { token: 't' } };
  const confirmation = await flows.confirmation({ ...BEGUN, permission });
  expect(confirmation).toMatch(/^https:\/\/memory\.example\/connect\/confirm#/);
  expect(await other.open('permitted', partOf(confirmation))).toMatchObject({ permission });
  const picker = await flows.picker({
    organization: 'org' as OrganizationId,
    connection: 'c1',
    actor: 'key:k',
    redirectUrl: null,
  });
  expect(picker).toMatch(/^https:\/\/memory\.example\/connect\/picker#/);
  expect(await other.open('picker', partOf(picker))).toMatchObject({ connection: 'c1' });
  clock.time = 600_000;
  expect(await other.open('permitted', partOf(confirmation))).toBeNull();
});

test('what would not fit into an address is refused', async () => {
  expect(await open().flows.begin({ ...BEGUN, tags: ['x'.repeat(2_000)] })).toEqual({ ok: false, error: 'too_long' });
});

test('people go back to where they were sent from, or stay', () => {
  const { flows } = open();
  expect(flows.callbackOf('google-drive')).toBe('https://memory.example/v3/connections/auth/callback/google-drive');
  expect([flows.mayReturnTo('https://app.example/x'), flows.mayReturnTo('https://evil.example')]).toEqual([
    true,
    false,
  ]);
  expect(flows.connected('https://app.example/x', 'c1')).toBe('https://app.example/x?connectionId=c1');
  expect(flows.failed('https://app.example/x', 'access_denied')).toBe('https://app.example/x?error=access_denied');
  expect(flows.failed(null, 'access_denied')).toBe('https://memory.example/connect/confirm?outcome=access_denied');
});
