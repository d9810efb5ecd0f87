import { createHash } from 'node:crypto';
import { addressOf } from './addresses.ts';
import type { EventStoreDbProcess } from './eventstoredb/database.ts';

/** Distributed engines by combination; the other engines are embedded. */
export const COMBINATIONS = {
  'all distributed': ['eventstore', 'nats', 'opensearch'],
  'EventStoreDB alone': ['eventstore'],
  'NATS alone': ['nats'],
  'OpenSearch alone': ['opensearch'],
} as const satisfies Record<string, readonly string[]>;

type Engine = (typeof COMBINATIONS)[keyof typeof COMBINATIONS][number];

/** One database per data folder, because events do not name a folder. */
const databases = new Map<string, Promise<EventStoreDbProcess>>();

/** Returns the engine settings of a server on this folder by MNEME_TEST_COMBINATION. Default: embedded engines. */
export async function engineSettings(folder: string): Promise<Record<string, string>> {
  const name = process.env.MNEME_TEST_COMBINATION;
  if (!name) return {};
  const engines: readonly Engine[] = COMBINATIONS[name as keyof typeof COMBINATIONS];
  const settings: Record<string, string> = {
    MNEME_PREFIX: `t${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`,
  };
  if (engines.includes('nats')) settings.MNEME_NATS_URL = addressOf('MNEME_TEST_NATS_URL');
  if (engines.includes('opensearch')) settings.MNEME_OPENSEARCH_URL = addressOf('MNEME_TEST_OPENSEARCH_URL');
  if (engines.includes('eventstore')) settings.MNEME_EVENTSTORE_URL = await databaseOf(folder);
  return settings;
}

/** Stops the database of a folder. */
export async function endEngines(folder: string): Promise<void> {
  const database = databases.get(folder);
  databases.delete(folder);
  await (await database)?.stop();
}

async function databaseOf(folder: string): Promise<string> {
  let database = databases.get(folder);
  if (database === undefined) {
    database = startDatabase();
    databases.set(folder, database);
  }
  return (await database).url;
}

async function startDatabase(): Promise<EventStoreDbProcess> {
  const { EventStoreDbProcess } = await import('./eventstoredb/database.ts');
  return EventStoreDbProcess.start();
}
