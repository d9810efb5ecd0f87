import { Cluster } from './support/cluster.ts';
import { eventually, INSTALLATION_KEY, type Mneme } from './support/mneme.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster?.stop());

const ENV = { MNEME_INSTALLATION_KEY: INSTALLATION_KEY };
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const AS_OPERATOR = withKey(INSTALLATION_KEY);

interface Organization {
  readonly id: string;
  readonly key: string;
}

type Usage = Readonly<Record<string, { readonly limit: number; readonly used: number }>>;

const usage = async (process: Mneme, key: string) =>
  (await process.get<{ quotas?: Usage }>('/v3/session', withKey(key))).body.quotas;

/** Creates an organization with quotas that both processes know. */
async function organization([one, other]: readonly [Mneme, Mneme], quotas: object): Promise<Organization> {
  const { body } = await one.post<Organization>('/v3/organizations', { name: 'Acme' }, AS_OPERATOR);
  await one.request('PATCH', `/v3/organizations/${body.id}`, { quotas }, AS_OPERATOR);
  await eventually(async () => ((await usage(other, body.key)) === undefined ? null : true));
  return body;
}

/** Adds documents in batches of ten by several callers, until each is refused. @returns how many were added */
async function addUntilRefused(process: Mneme, key: string, callers: number): Promise<number> {
  const documents = Array.from({ length: 10 }, (_, i) => `Note ${i} about otters.`);
  const counts = await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let added = 0; ; added += documents.length) {
        const { status, body } = await process.post('/v3/documents/batch', { documents }, withKey(key));
        if (status === 429) return added;
        if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
      }
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each(['documents', 'addsPerDay'])('two processes together add what the quota %s permits', async (quota) => {
  const limit = 1_000;
  await cluster.start('worker', { env: ENV });
  const processes = [await cluster.start('api', { env: ENV }), await cluster.start('api', { env: ENV })] as const;
  const { key } = await organization(processes, { [quota]: limit });
  const added = await Promise.all(processes.map((process) => addUntilRefused(process, key, 4)));
  const sum = added.reduce((all, count) => all + count, 0);
  expect(sum).toBeLessThanOrEqual(limit * 1.01);
  expect(sum).toBeGreaterThanOrEqual(limit * 0.9);
  const restarted = await cluster.start('api', { env: ENV });
  const used = await eventually(async () => {
    const found = (await usage(restarted, key))?.[quota]?.used;
    return found === sum ? found : null;
  });
  expect(used).toBe(sum);
});
