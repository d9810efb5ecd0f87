import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NatsServer, startNatsServer } from '../../libs/nats/src/testing/nats-server.ts';
import { addressOf } from '../support/addresses.ts';
import { Cluster } from '../support/cluster.ts';
import { runMneme } from '../support/command.ts';
import type { StoredEvent } from '../support/eventstoredb/log.ts';
import { EventStoreDbServer } from '../support/eventstoredb/server.ts';
import type { Mneme } from '../support/mneme.ts';
import { pack, unpack } from './archive.ts';
import { exportIndices, importIndices } from './open-search-indices.ts';
import type { Story } from './story.ts';

export const CLUSTER_STATE = join(import.meta.dirname, 'cluster.zst');
export const CLUSTER_ANSWERS = join(import.meta.dirname, 'cluster.answers.ndjson');
/** Of all names on NATS and OpenSearch. */
export const PREFIX = 'upgrade';

const LOG = 'log.ndjson';
const INDICES = 'indices.ndjson';
const NATS = 'nats';

/** A cluster whose engines hold a copy of the state, without processes. */
export interface ClusterState extends Story {
  readonly cluster: Cluster;
  remove(): Promise<void>;
}

/** @param nats a server that was killed */
export async function packCluster(file: string, log: EventStoreDbServer, nats: NatsServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-state-'));
  await cp(join(nats.folder, 'data'), join(folder, NATS), { recursive: true });
  await writeFile(join(folder, LOG), exportLog(log.log.all));
  await writeFile(join(folder, INDICES), await exportIndices(addressOf('MNEME_TEST_OPENSEARCH_URL'), PREFIX));
  await pack(folder, file);
  await rm(folder, { recursive: true });
}

/** @param root checkout of the version that opens the state. Default: this one */
export async function openClusterState(
  env: Readonly<Record<string, string>>,
  ask: Story['ask'],
  root?: string,
): Promise<ClusterState> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-upgrade-'));
  await unpack(CLUSTER_STATE, folder);
  const nats = await startNatsServer();
  await nats.kill();
  await nats.wipe();
  await cp(join(folder, NATS), join(nats.folder, 'data'), { recursive: true });
  await nats.restart();
  const indices = await readFile(join(folder, INDICES), 'utf8');
  await importIndices(addressOf('MNEME_TEST_OPENSEARCH_URL'), PREFIX, indices);
  const log = await importLog(await readFile(join(folder, LOG), 'utf8'));
  const cluster = await Cluster.start({ natsUrl: nats.url, prefix: PREFIX, log, env });
  await mkdir(join(folder, 'data'));
  const ofVersion = root === undefined ? {} : { root };
  return {
    cluster,
    ask,
    start: async (): Promise<Mneme> => {
      const [api] = await Promise.all([cluster.start('api', ofVersion), cluster.start('worker', ofVersion)]);
      return api;
    },
    cli: (...args) => runMneme(args, { folder: join(folder, 'data'), env: cluster.env, ...ofVersion }),
    remove: async () => {
      await cluster.stop();
      await nats.remove();
      await rm(folder, { recursive: true });
    },
  };
}

const exportLog = (events: readonly StoredEvent[]): string =>
  events
    .map(({ data, metadata, ...event }) => ({ ...event, data: base64(data), metadata: base64(metadata) }))
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** @throws Error if an event gets another position: views and feed refer to positions */
async function importLog(lines: string): Promise<EventStoreDbServer> {
  const server = await EventStoreDbServer.start();
  const events = lines.split('\n').filter((line) => line !== '');
  // The server itself has written the first one.
  for (const line of events.slice(server.log.all.length)) {
    const { data, metadata, stream, position, ...event } = JSON.parse(line) as StoredEvent &
      Record<'data' | 'metadata', string>;
    const bytes = { data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') };
    const appended = server.log.append(stream, [{ ...event, ...bytes }], 'any');
    if (appended.kind !== 'stored' || appended.position !== position) {
      throw new Error(`Event ${event.id} of ${stream} cannot be stored at ${position} again`);
    }
  }
  return server;
}
