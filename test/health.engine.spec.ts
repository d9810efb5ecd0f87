import { addressOf } from './support/addresses.ts';
import { Cluster, TcpProxy } from './support/cluster.ts';
import { dashboardFaults } from './support/dashboard.ts';
import { eventually, type Mneme } from './support/mneme.ts';

/** Health responses with unreachable or unresponsive engines: prompt, and with the names of these engines. */

interface Health {
  readonly status: string;
  readonly unreachable: readonly string[];
  readonly views?: { readonly rebuilding: boolean };
  readonly work?: { readonly holds: readonly string[]; readonly failing: readonly string[]; readonly handled: number };
}

/** Milliseconds; covers cached probe results and the process itself. */
const SOON_MS = 10_000;

let nats: TcpProxy;
let openSearch: TcpProxy;
let cluster: Cluster;
let processes: readonly [Mneme, Mneme];

beforeAll(async () => {
  nats = await TcpProxy.start(addressOf('MNEME_TEST_NATS_URL'));
  openSearch = await TcpProxy.start(addressOf('MNEME_TEST_OPENSEARCH_URL'));
  const env = { MNEME_METRICS: 'on', MNEME_LOG_LEVEL: 'info' };
  cluster = await Cluster.start({ natsUrl: nats.url, openSearchUrl: openSearch.url, env });
  processes = [await cluster.start('api'), await cluster.start('worker')];
  await processes[0].addAndWait('The numbat sleeps.');
});
afterAll(async () => {
  await nats.cut();
  await openSearch.cut();
  await cluster.stop();
});

async function healthOf(mneme: Mneme): Promise<Health> {
  const begun = performance.now();
  const { status, body } = await mneme.get<Health>('/v3/health');
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  expect(status).toBe(200);
  return body;
}

/** Waits until all processes report this status. */
async function allReport(status: string, unreachable: readonly string[]): Promise<void> {
  for (const one of processes) {
    await eventually(async () => {
      const health = await healthOf(one);
      return health.status === status && health.unreachable.join() === unreachable.join() ? true : null;
    });
  }
}

/** Warnings and errors, and what is said about engines. */
function linesOf(mneme: Mneme): string[] {
  return mneme.output
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level > 30 || msg.includes(' is back after '))
    .map(({ msg }) => msg);
}

/** Waits until the log files of all processes say so. */
async function allSay(text: string): Promise<void> {
  for (const one of processes) {
    await eventually(async () => (linesOf(one).some((line) => line.includes(text)) ? true : null));
  }
}

test('a worker serves its metrics for the owner key', async () => {
  const [, worker] = processes;
  expect((await worker.get('/metrics', { authorization: '' })).status).toBe(401);
  const text = await eventually(async () => {
    const { status, body } = await worker.get<string>('/metrics');
    expect(status).toBe(200);
    return body.includes('mneme_projection_lag_seconds 0\n') ? body : null;
  });
  expect(text).toContain('mneme_pipeline_documents{stage="index",state="in_flight"} 0');
  for (const one of processes) expect(dashboardFaults((await one.get<string>('/metrics')).body)).toEqual([]);
});

test('with all engines the status is ok, and a worker reports its tasks', async () => {
  await allReport('ok', []);
  const [api, worker] = processes;
  expect(await healthOf(api)).toMatchObject({ views: { rebuilding: false } });
  const { work } = await healthOf(worker);
  expect(work).toMatchObject({
    holds: [
      'bulk-deletions',
      'event-feed',
      'expiries',
      'invitations',
      'left-behind',
      'organization-deletions',
      'process-manager',
      'removed-streams',
      'tag-merges',
      'vector-space',
      'views',
    ],
    failing: [],
    running: 0,
    longestSeconds: 0,
  });
  expect(work?.handled).toBeGreaterThan(0);
});

test('an unresponsive or unreachable OpenSearch degrades views', async () => {
  openSearch.hold();
  await allReport('degraded', ['views']);
  expect(await healthOf(processes[0])).toMatchObject({ views: { rebuilding: false } });
  await openSearch.cut();
  await allReport('degraded', ['views']);
  await allSay(`The search index at ${openSearch.url} is lost`);
  await openSearch.open();
  await allReport('ok', []);
});

test('without NATS bus is degraded and leased tasks stop until it returns', async () => {
  await nats.cut();
  await allReport('degraded', ['bus']);
  await eventually(async () => ((await healthOf(processes[1])).work?.holds.length === 0 ? true : null));
  await allSay(`NATS at ${nats.url} is lost`);
  await nats.open();
  await allReport('ok', []);
  await eventually(async () => ((await healthOf(processes[1])).work?.holds.includes('views') ? true : null));
});

test('without EventStoreDB log is degraded', async () => {
  await cluster.log.stop();
  await allReport('degraded', ['log']);
  await allSay(`The event log at ${cluster.log.url.replace(/\?.*/, '')} is lost`);
  await cluster.log.start();
  await allReport('ok', []);
});

test('of each of these engines, the log file of each process has one line when it was lost and one when it was back', async () => {
  const lost = (engine: string) => expect.stringMatching(`^${engine} at \\S+:\\d+ is lost: .`);
  const back = (engine: string) => expect.stringMatching(`^${engine} at \\S+:\\d+ is back after [\\d.]+ s$`);
  const engines = ['The search index', 'NATS', 'The event log'];
  for (const one of processes) {
    const lines = await eventually(async () => {
      const found = linesOf(one);
      return found.filter((line) => line.includes(' is back after ')).length >= engines.length ? found : null;
    });
    expect(lines).toHaveLength(2 * engines.length);
    for (const engine of engines) {
      expect(lines.filter((line) => line.startsWith(engine))).toEqual([lost(engine), back(engine)]);
    }
  }
});
