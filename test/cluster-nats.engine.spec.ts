import { connectNats, type NatsConnection } from '#platform/nats';
import { removeOpenSearchViews } from '#read-side/views';
import { type NatsCluster, startNatsCluster } from '../libs/platform/nats/src/testing/nats-cluster.ts';
import type { NatsServer } from '../libs/platform/nats/src/testing/nats-server.ts';
import { addressOf } from './support/addresses.ts';
import { Adds, expectAllDoneOnce, expectUnavailable } from './support/adds.ts';
import { Cluster } from './support/cluster.ts';
import { EventStoreDbServer } from './support/eventstoredb/server.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { backUpStream, restoreStream } from './support/nats-backup.ts';

/** Longer than the detection of an unresponsive server. */
const RECOVERED_MS = 60_000;

let nats: NatsCluster;
let cluster: Cluster;
let api: Mneme;
let adds: Adds;

beforeAll(async () => {
  nats = await startNatsCluster();
  cluster = await Cluster.start({ natsUrl: nats.url, env: { MNEME_NATS_REPLICAS: '3' } });
  [api] = await Promise.all([startWhenReady('api'), startWhenReady('worker')]);
  adds = new Adds(api);
});
afterAll(async () => {
  await cluster.stop();
  await nats.remove();
});

/** A new cluster elects its leader first. */
const startWhenReady = (role: 'api' | 'worker') =>
  eventually(() => cluster.start(role).catch(() => null), RECOVERED_MS);

async function withConnection<T>(ask: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connectNats({ url: nats.url, name: 'test' });
  try {
    return await ask(connection);
  } finally {
    await connection.close();
  }
}

interface StreamInfo {
  readonly config: { readonly num_replicas: number };
  readonly cluster: { readonly leader?: string };
}

const infoOf = (stream: string) =>
  withConnection(async (connection) =>
    (await connection.request(`$JS.API.STREAM.INFO.${cluster.prefix}-${stream}`)).json<StreamInfo>(),
  );

const leaderOf = (stream: string): Promise<NatsServer> =>
  eventually(async () => {
    const info = await infoOf(stream).catch(() => null);
    return nats.servers.get(info?.cluster?.leader ?? '') ?? null;
  });

const more = (count: number) => {
  const { size } = adds.acknowledged;
  return eventually(async () => (adds.acknowledged.size >= size + count ? true : null), RECOVERED_MS);
};

/** Too long for an event. */
const LONG = 'The numbat slept through all of it. '.repeat(1_000);

test('nothing is lost when a leader is killed, a server is stopped, and the quorum is lost for a while', async () => {
  for (const stream of ['blobs', 'keys', 'vectors', 'leases']) {
    expect([stream, (await infoOf(stream)).config.num_replicas]).toEqual([stream, 3]);
  }
  let isLoaded = true;
  const load = adds.while(
    () => isLoaded,
    3,
    (i) => (i % 5 === 0 ? LONG : ''),
  );
  await more(15);

  const killed = await leaderOf('keys');
  await killed.kill();
  await more(15);
  await killed.restart();

  const frozen = await leaderOf('blobs');
  frozen.freeze();
  await more(15);
  frozen.thaw();

  const [first, second] = [...nats.servers.values()] as [NatsServer, NatsServer];
  await Promise.all([first.kill(), second.kill()]);
  const { length } = adds.refused;
  await eventually(async () => (adds.refused.length > length ? true : null));
  await eventually(async () => ((await api.get('/v3/health')).body.status === 'degraded' ? true : null));
  await Promise.all([first.restart(), second.restart()]);
  await more(15);
  isLoaded = false;
  await load;

  for (const refusal of adds.refused) expectUnavailable(refusal);
  await expectAllDoneOnce(api, adds);
  expect(cluster.processes.filter(({ running }) => !running)).toEqual([]);
});

test('an installation is restored from a copy of its log and of the streams that the manual names', async () => {
  // In the order of the manual: the log first.
  const log = cluster.log.log.all.slice();
  const names = ['keys', 'blobs'].map((kept) => `${cluster.prefix}-${kept}`);
  const backups = await withConnection((connection) =>
    Promise.all(names.map((name) => backUpStream(connection, name))),
  );
  for (const one of cluster.processes) await one.kill('SIGTERM');
  await cluster.log.stop();
  await removeOpenSearchViews({ url: addressOf('MNEME_TEST_OPENSEARCH_URL'), prefix: cluster.prefix });
  const servers = [...nats.servers.values()];
  await Promise.all(servers.map((server) => server.kill()));
  await Promise.all(servers.map((server) => server.wipe()));
  await Promise.all(servers.map((server) => server.restart()));

  const restored = await EventStoreDbServer.start();
  // The first event is of the server itself.
  for (const event of log.slice(1)) restored.log.append(event.stream, [event], 'any');
  await eventually(
    () =>
      withConnection(async (connection) => (await connection.request('$JS.API.INFO')).json<object>()).catch(() => null),
    RECOVERED_MS,
  );
  const { prefix } = cluster;
  const env = { MNEME_NATS_REPLICAS: '3' };
  cluster = await Cluster.start({ natsUrl: nats.url, log: restored, prefix, env });
  await expect(cluster.start('api')).rejects.toThrow(`The stream ${prefix}-keys is missing`);
  await withConnection(async (connection) => {
    for (const backup of backups) await restoreStream(connection, backup);
  });

  [api] = await Promise.all([startWhenReady('api'), startWhenReady('worker')]);
  // The views are built from the log.
  await expectAllDoneOnce(api, adds);
  const content = `${LONG}`.trim();
  const ids = [...adds.acknowledged.keys()];
  const texts = await Promise.all(ids.map(async (id) => String((await api.get(`/v3/documents/${id}`)).body.content)));
  expect(texts.filter((text) => text.includes(content)).length).toBeGreaterThan(5);
  expect(await cluster.cli('doctor')).toMatchObject({ code: 0 });
});
