import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster?.stop());

interface Usage {
  /** Absent: the views are not made yet. */
  readonly usage?: readonly { readonly type: string; readonly count: number }[];
}
interface Log {
  readonly pagination: { readonly totalItems: number };
}

const searches = async (process: Mneme): Promise<number | undefined> =>
  (await process.get<Usage>('/v3/analytics/usage')).body.usage?.find(({ type }) => type === 'search_v4')?.count;

test('every process shows what all of them answered, also after they have ended', async () => {
  await cluster.start('worker');
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  for (let i = 0; i < 3; i += 1) await one.post('/v4/search', { q: 'heron' });
  for (let i = 0; i < 4; i += 1) await other.post('/v4/search', { q: 'heron' });
  for (const process of [one, other]) {
    await eventually(async () => ((await searches(process)) === 7 ? true : null));
    const { body } = await process.get<Log>('/v3/analytics/logs?type=search_v4&limit=2');
    expect(body).toMatchObject({ logs: [{}, {}], pagination: { totalItems: 7 } });
  }
  for (const process of [one, other]) await process.kill('SIGTERM');
  const next = await cluster.start('api');
  await eventually(async () => ((await searches(next)) === 7 ? true : null));
});
