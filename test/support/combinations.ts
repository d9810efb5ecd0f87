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

const ENGINES: readonly Engine[] = COMBINATIONS['all distributed'];

const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');

/** One database per data folder, because events do not name a folder. */
const databases = new Map<string, Promise<EventStoreDbProcess>>();

/** The distributed engines of the servers that tests start, by MNEME_TEST_COMBINATION. Default: none. */
function distributed(): readonly Engine[] {
  const name = process.env.MNEME_TEST_COMBINATION;
  return name ? COMBINATIONS[name as keyof typeof COMBINATIONS] : [];
}

/**
 * Whether these engines keep their data in the data folder. For the parts of a story that are about its files or its disk.
 * Default: all engines.
 */
export const areEmbedded = (...engines: readonly Engine[]): boolean =>
  (engines.length === 0 ? ENGINES : engines).every((engine) => !distributed().includes(engine));

/** Returns the engine settings of a server on this folder. */
export async function engineSettings(folder: string): Promise<Record<string, string>> {
  const engines = distributed();
  if (engines.length === 0) return {};
  const settings: Record<string, string> = { MNEME_PREFIX: prefixOf(folder) };
  // Without a data folder to itself a server makes no key.
  if (engines.length === ENGINES.length) settings.MNEME_MASTER_KEY = MASTER_KEY;
  if (engines.includes('nats')) settings.MNEME_NATS_URL = addressOf('MNEME_TEST_NATS_URL');
  if (engines.includes('opensearch')) settings.MNEME_OPENSEARCH_URL = addressOf('MNEME_TEST_OPENSEARCH_URL');
  if (engines.includes('eventstore')) settings.MNEME_EVENTSTORE_URL = await databaseOf(folder);
  return settings;
}

/** Stops the database of a folder and removes its indices: there is a limit to the indices of a node. */
export async function endEngines(folder: string): Promise<void> {
  const database = databases.get(folder);
  databases.delete(folder);
  await (await database)?.stop();
  if (areEmbedded('opensearch')) return;
  const { removeOpenSearchViews } = await import('#read-side/views');
  await removeOpenSearchViews({ url: addressOf('MNEME_TEST_OPENSEARCH_URL'), prefix: prefixOf(folder) });
}

const prefixOf = (folder: string): string => `t${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;

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
