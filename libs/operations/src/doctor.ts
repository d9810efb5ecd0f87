import { stat, statfs } from 'node:fs/promises';
import { type Config, readVersion, withoutCredentials } from '#config';
import { type EventStore, inspectEventStoreDb, type Position, readPages } from '#event-store';
import { type Clock, isoTime, type JsonObject } from '#kernel';
import { inspectNatsBus } from '#message-bus';
import { findModel, inspectModel, MODELS, modelFolder } from '#models';
import { type Reached, type ReachedEngines, servingSpace } from '#runtime';
import { inspectOpenSearchViews, type ViewsReader } from '#views';
import { organizationsOf } from './log.ts';
import type { OperationsContext } from './operation.ts';

/** What is looked at. */
export interface DoctorContext extends Pick<OperationsContext, 'server'> {
  readonly config: Config;
  readonly clock: Clock;
  readonly engines: ReachedEngines;
}

/** One thing that was looked at. `advice` says what to do about what is not `ok`. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly advice?: string;
}

/** What several looks go by. */
interface Seen {
  /** What an engine says that it is, by the name that people know it by. */
  readonly versions: Record<string, string>;
  /** Null: the views are elsewhere. */
  readonly openSearch: ReturnType<typeof inspectOpenSearchViews> | null;
}

type Look = (context: DoctorContext, seen: Seen) => Promise<Check | readonly Check[]>;

/** What cannot be told, because an engine is away that has a line of its own. */
class NotKnownError extends Error {
  override readonly name = 'NotKnownError';
}

/** For one look; they are all taken at once. */
const LOOK_MS = 10_000;
const PING_MS = 3_000;
const COUNTED = 10_000;
const PAGE = 2_000;
/** Work that stands still for longer is worth a look. */
const STUCK_MS = 10 * 60_000;
/** Write-ahead logs are emptied seconds after an erasure; one that is longer than this is not. */
const LARGE_LOG = 64 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

const LOOKS: readonly (readonly [string, Look])[] = [
  ['server', server],
  ['event log', eventLog],
  ['bus and blobs', bus],
  ['work on the bus', work],
  ['views', views],
  ['backlog', backlog],
  ['failed documents', failed],
  ['model', model],
  ['disk', disk],
  ['left to erase', leftToErase],
];

/**
 * A line for each thing that was looked at, in the order of the way of a document, whichever engines are away; then one
 * with the versions.
 */
export async function* examine(context: DoctorContext): AsyncIterable<JsonObject> {
  const { openSearchUrl: url, prefix, role } = context.config;
  const seen: Seen = { versions: {}, openSearch: url === null ? null : inspectOpenSearchViews({ url, prefix }) };
  const looks = LOOKS.map(([name, look]) => looked(name, look(context, seen)));
  let sound = true;
  for (const checks of looks) {
    for (const check of await checks) {
      sound &&= check.state !== 'failed';
      yield { ...check };
    }
  }
  yield {
    done: true,
    sound,
    version: readVersion(),
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? null,
    engines: seen.versions,
    role,
  };
}

async function looked(name: string, look: Promise<Check | readonly Check[]>): Promise<readonly Check[]> {
  try {
    return [await within(LOOK_MS, look)].flat();
  } catch (error) {
    return [{ name, state: error instanceof NotKnownError ? 'warning' : 'failed', detail: messageOf(error as Error) }];
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `no answer within ${milliseconds / 1_000} seconds`;
  const timer = setTimeout(() => reject(new Error(message)), milliseconds);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const notKnown = (name: string) => new NotKnownError(`not known: ${name} cannot be asked`);

/** @throws NotKnownError */
function needed<T>(engine: Reached<T>, name: string): T {
  if ('opened' in engine) return engine.opened;
  throw notKnown(name);
}

const logOf = ({ engines }: DoctorContext): EventStore => needed(engines.store, 'the event log');

async function readerOf({ engines }: DoctorContext, { openSearch }: Seen): Promise<ViewsReader> {
  const reader = needed(engines.reader, 'the views');
  await openSearch?.catch(() => {
    throw notKnown('OpenSearch');
  });
  return reader;
}

const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });

async function server({ server: running, clock, config }: DoctorContext): Promise<Check> {
  const { dataFolder } = config;
  if (running === null) return ok('server', `none runs on ${dataFolder}; this command works on it by itself`);
  const seconds = Math.round((clock.now() - running.startedAt) / 1000);
  return ok(
    'server',
    `runs on ${dataFolder} since ${isoTime(running.startedAt)} (${seconds} s), process ${process.pid}`,
  );
}

async function eventLog({ engines, config }: DoctorContext, { versions }: Seen): Promise<Check> {
  const { files, store } = engines;
  const { eventStoreUrl: url } = config;
  const where =
    url === null ? `${files.events}, ${megabytes(await sizeOf(files.events))}` : await eventStoreDb(url, versions);
  if ('away' in store) return { name: 'event log', state: 'failed', detail: `${where}; ${messageOf(store.away)}` };
  const begun = performance.now();
  const head = await store.opened.head();
  const took = (performance.now() - begun).toFixed(1);
  const end = head === null ? 'empty' : `ends at ${head}`;
  return ok('event log', `${where}; ${end}; answers in ${took} ms`);
}

/** What the server says of itself. @throws EventStoreUnreachableError */
async function eventStoreDb(url: string, versions: Seen['versions']): Promise<string> {
  const { version, nodes, alive } = await inspectEventStoreDb({ url });
  versions.EventStoreDB = version ?? 'of unknown version';
  const cluster = nodes > 1 ? `, ${alive} of ${nodes} nodes alive` : '';
  return `${withoutCredentials(url)}, EventStoreDB ${versions.EventStoreDB}${cluster}`;
}

async function bus({ engines, config }: DoctorContext, { versions }: Seen): Promise<Check> {
  const { nats, files } = engines;
  if (nats === null) return ok('bus and blobs', `inside the process; ${files.blobs}`);
  if ('away' in nats) throw nats.away;
  const where = withoutCredentials(config.natsUrl as string);
  const took = await within(PING_MS, nats.opened.rtt()).catch((error: Error) => {
    throw new Error(`NATS at ${where} cannot be reached: ${error.message}`);
  });
  versions.NATS = nats.opened.info?.version ?? 'of unknown version';
  return ok('bus and blobs', `${where}, NATS ${versions.NATS}; answers in ${took} ms`);
}

/** A line for each stage; then what could not be read. */
async function work({ engines, config }: DoctorContext): Promise<readonly Check[]> {
  const { nats } = engines;
  if (nats === null) return [];
  const connection = needed(nats, 'NATS');
  // A connection that was lost waits for the next.
  await within(PING_MS, connection.rtt()).catch(() => {
    throw notKnown('NATS');
  });
  const { work: stages, deadLetters } = await inspectNatsBus({ connection, prefix: config.prefix });
  const checks = stages.map(({ stage, waiting, unacknowledged, redelivered }) => {
    const delivered = `${unacknowledged} delivered and not acknowledged`;
    return ok(`work: ${stage}`, `${waiting} waiting, ${delivered}, ${redelivered} of these redelivered`);
  });
  const name = 'dead letters';
  if (deadLetters === 0) return [...checks, ok(name, 'none')];
  const detail = `${deadLetters} messages could not be read`;
  return [...checks, { name, state: 'warning', detail, advice: 'Which and why: mneme dead-letters list' }];
}

async function views(context: DoctorContext, seen: Seen): Promise<Check> {
  const { engines, config, server: running } = context;
  const { files, reader } = engines;
  const { openSearchUrl: url } = config;
  const where = url === null ? `${files.views}, ${megabytes(await sizeOf(files.views))}` : await openSearch(url, seen);
  if ('away' in reader) {
    const advice = 'A server makes them from the log as it starts.';
    return { name: 'views', state: url === null ? 'warning' : 'failed', detail: messageOf(reader.away), advice };
  }
  const checkpoint = await reader.opened.checkpoint();
  if ('away' in engines.store) return ok('views', `${where}; how far they are behind the log is not known`);
  const behind = await countBehind(engines.store.opened, checkpoint);
  const lag = behind === 0 ? 'up with the log' : `${behind < COUNTED ? behind : `more than ${COUNTED}`} events behind`;
  const detail = `${where}; ${lag}`;
  if (behind < PAGE) return ok('views', detail);
  const advice =
    running === null && url === null
      ? 'They catch up as soon as a server runs.'
      : 'They are catching up or being rebuilt; if the number does not fall, look at the log of the server or its workers.';
  return { name: 'views', state: 'warning', detail, advice };
}

async function openSearch(url: string, { versions, openSearch: inspection }: Seen): Promise<string> {
  versions.OpenSearch = (await inspection)?.version ?? 'of unknown version';
  return `${withoutCredentials(url)}, OpenSearch ${versions.OpenSearch}`;
}

async function countBehind(store: EventStore, checkpoint: Position | null): Promise<number> {
  let count = 0;
  for await (const { events } of readPages(store, { after: checkpoint, limit: PAGE, envelopesOnly: true })) {
    count += events.length;
    if (count >= COUNTED) break;
  }
  return count;
}

async function backlog(context: DoctorContext, seen: Seen): Promise<Check> {
  const { clock, config } = context;
  const reader = await readerOf(context, seen);
  const count = await reader.countUnfinished();
  const [oldest] = await reader.unfinished({ after: null, limit: 1 });
  if (oldest === undefined) return ok('backlog', 'nothing waits');
  const idle = clock.now() - oldest.updatedAt;
  const detail = `${count} unfinished; the longest untouched is ${oldest.id}, ${oldest.stage} for ${Math.round(idle / 1000)} s`;
  if (count >= config.maxBacklog) {
    const advice = 'Adds are refused with 503 until it has fallen: give it workers or time.';
    return { name: 'backlog', state: 'warning', detail, advice };
  }
  if (idle < STUCK_MS) return ok('backlog', detail);
  const advice = `See what happened to it: mneme events export --document ${oldest.id}`;
  return { name: 'backlog', state: 'warning', detail, advice };
}

async function failed(context: DoctorContext, seen: Seen): Promise<Check> {
  const reader = await readerOf(context, seen);
  let count = 0;
  for (const organization of await organizationsOf(logOf(context))) {
    const { total } = await reader.list({
      ...{ scope: { organization, tags: 'all' }, filter: null, filepath: null, source: null, customId: null },
      ...{ stages: ['failed'], sort: 'updatedAt', order: 'asc', offset: 0, limit: 1 },
    });
    count += total;
  }
  if (count === 0) return ok('failed documents', 'none');
  const advice = 'Which and why: mneme dead-letters list. Once more: mneme dead-letters retry.';
  return { name: 'failed documents', state: 'warning', detail: String(count), advice };
}

async function model(context: DoctorContext): Promise<Check> {
  const { config, server: running } = context;
  if (config.embedding === 'off') return ok('model', 'switched off: search by words alone');
  const status = running?.embedder.status();
  if (status !== undefined) {
    if (status.state === 'ready') return ok('model', `${status.space.name} is ready`);
    const detail = status.state === 'unavailable' ? `unavailable: ${status.reason}` : status.state;
    return {
      name: 'model',
      state: 'warning',
      detail,
      advice: 'Search goes by words alone meanwhile. mneme models install',
    };
  }
  const entry = findModel(await servingSpace(logOf(context))) ?? MODELS[0];
  const files = await inspectModel(modelFolder(config.dataFolder, entry), entry);
  if (files.every(({ checksumOk }) => checksumOk)) return ok('model', `${entry.name} is installed`);
  const missing = files.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
  const detail = `${entry.name}: ${missing.join(', ')} missing or damaged`;
  return {
    name: 'model',
    state: 'warning',
    detail,
    advice: 'mneme models install; a server fetches it by itself too.',
  };
}

async function disk({ config }: DoctorContext): Promise<Check> {
  const { bavail, bsize } = await statfs(config.dataFolder);
  const free = bavail * bsize;
  const detail = `${megabytes(free)} free; adds stop at ${megabytes(config.minFreeBytes)}`;
  const advice = `Make room on the disk of ${config.dataFolder}.`;
  if (free < config.minFreeBytes) return { name: 'disk', state: 'failed', detail, advice };
  if (free < config.minFreeBytes * 4) return { name: 'disk', state: 'warning', detail, advice };
  return ok('disk', detail);
}

/** What was deleted stands in write-ahead logs until these are emptied, and in segments until these are merged. */
async function leftToErase(
  { engines, config, server: running }: DoctorContext,
  { openSearch: inspection }: Seen,
): Promise<Check> {
  const { files } = engines;
  const { eventStoreUrl, openSearchUrl: url, natsUrl } = config;
  const owned = [
    ...(eventStoreUrl === null ? [files.events] : []),
    ...(url === null ? [files.views] : []),
    ...(natsUrl === null ? [files.vectors] : []),
  ];
  const logs = await Promise.all(
    owned.map(async (file) => ({ file: `${file}-wal`, bytes: await sizeOf(`${file}-wal`) })),
  );
  const found = logs.filter(({ bytes }) => bytes > 0).map(({ file, bytes }) => `${file} ${megabytes(bytes)}`);
  if (inspection !== null) {
    const { rows, deleted } = await inspection.catch(() => {
      throw notKnown('OpenSearch');
    });
    found.push(`OpenSearch: ${deleted} of ${rows + deleted} rows wait for a merge`);
  }
  const detail = found.length === 0 ? 'write-ahead logs are empty' : found.join(', ');
  if (logs.every(({ bytes }) => bytes <= LARGE_LOG)) return ok('left to erase', detail);
  const advice =
    running === null
      ? 'A server empties them as it starts.'
      : 'Something holds a file open for reading, a backup tool perhaps.';
  return { name: 'left to erase', state: 'warning', detail, advice };
}

const messageOf = ({ message }: Error): string => withoutCredentials(message);
const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => null))?.size ?? 0;
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MiB`;
