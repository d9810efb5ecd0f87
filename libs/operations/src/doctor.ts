import { stat, statfs } from 'node:fs/promises';
import { readVersion, withoutCredentials } from '#config';
import { openDeadLetters } from '#engines';
import { type EventStore, type Position, readPages } from '#event-store';
import { isoTime, type JsonObject } from '#kernel';
import { e5SmallV2, inspectModel, modelFolder } from '#models';
import { inspectOpenSearchViews } from '#views';
import { organizationsOf } from './log.ts';
import type { OperationsContext } from './operation.ts';

/** One thing that was looked at. `advice` says what to do about what is not `ok`. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly advice?: string;
}

const COUNTED = 10_000;
const PAGE = 2_000;
/** Work that stands still for longer is worth a look. */
const STUCK_MS = 10 * 60_000;
/** Write-ahead logs are emptied seconds after an erasure; one that is longer than this is not. */
const LARGE_LOG = 64 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

/** A line for each thing that was looked at, in the order of the way of a document; then one with the versions. */
export async function* examine(context: OperationsContext): AsyncIterable<JsonObject> {
  const looks: readonly [string, (context: OperationsContext) => Promise<Check>][] = [
    ['server', server],
    ['event log', eventLog],
    ['bus and blobs', bus],
    ['views', views],
    ['backlog', backlog],
    ['failed documents', failed],
    ['model', model],
    ['disk', disk],
    ['left to erase', leftToErase],
  ];
  let sound = true;
  for (const [name, look] of looks) {
    const check = await look(context).catch(
      (error: Error): Check => ({ name, state: 'failed', detail: withoutCredentials(error.message) }),
    );
    sound &&= check.state !== 'failed';
    yield { ...check };
  }
  yield {
    done: true,
    sound,
    version: readVersion(),
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? null,
    role: context.config.role,
  };
}

const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });

async function server({ server: running, clock, config }: OperationsContext): Promise<Check> {
  const { dataFolder } = config;
  if (running === null) return ok('server', `none runs on ${dataFolder}; this command works on it by itself`);
  const seconds = Math.round((clock.now() - running.startedAt) / 1000);
  return ok(
    'server',
    `runs on ${dataFolder} since ${isoTime(running.startedAt)} (${seconds} s), process ${process.pid}`,
  );
}

async function eventLog({ parts, config }: OperationsContext): Promise<Check> {
  const { store, files } = parts.storage;
  const begun = performance.now();
  const head = await store.head();
  const took = (performance.now() - begun).toFixed(1);
  const where =
    config.eventStoreUrl === null
      ? `${files.events}, ${megabytes(await sizeOf(files.events))}`
      : withoutCredentials(config.eventStoreUrl);
  const end = head === null ? 'empty' : `ends at ${head}`;
  return ok('event log', `${where}; ${end}; answers in ${took} ms`);
}

async function bus({ parts, config }: OperationsContext): Promise<Check> {
  const { natsUrl } = config;
  const { nats, files } = parts.storage;
  if (natsUrl === null || nats === null) return ok('bus and blobs', `inside the process; ${files.blobs}`);
  const took = await nats.rtt();
  const letters = (await (await openDeadLetters(parts.storage))?.list({ after: null, limit: PAGE })) ?? [];
  if (letters.length > 0) {
    const detail = `${withoutCredentials(natsUrl)}; ${letters.length} messages could not be read`;
    return { name: 'bus and blobs', state: 'warning', detail, advice: 'Which and why: mneme dead-letters list' };
  }
  return ok('bus and blobs', `${withoutCredentials(natsUrl)}, NATS ${nats.info?.version}; answers in ${took} ms`);
}

async function views({ parts, config, server: running }: OperationsContext): Promise<Check> {
  const { store, files } = parts.storage;
  const { openSearchUrl: url, prefix } = config;
  const behind = await countBehind(store, await parts.views.reader.checkpoint());
  const where =
    url === null
      ? `${files.views}, ${megabytes(await sizeOf(files.views))}`
      : `${withoutCredentials(url)}, OpenSearch ${(await inspectOpenSearchViews({ url, prefix })).version}`;
  const lag = behind === 0 ? 'up with the log' : `${behind < COUNTED ? behind : `more than ${COUNTED}`} events behind`;
  const detail = `${where}; ${lag}`;
  if (behind < PAGE) return ok('views', detail);
  const advice =
    running === null && url === null
      ? 'They catch up as soon as a server runs.'
      : 'They are catching up or being rebuilt; if the number does not fall, look at the log of the server or its workers.';
  return { name: 'views', state: 'warning', detail, advice };
}

async function countBehind(store: EventStore, checkpoint: Position | null): Promise<number> {
  let count = 0;
  for await (const { events } of readPages(store, { after: checkpoint, limit: PAGE, envelopesOnly: true })) {
    count += events.length;
    if (count >= COUNTED) break;
  }
  return count;
}

async function backlog({ parts, clock, config }: OperationsContext): Promise<Check> {
  const { reader } = parts.views;
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

async function failed({ parts }: OperationsContext): Promise<Check> {
  let count = 0;
  for (const organization of await organizationsOf(parts.storage.store)) {
    const { total } = await parts.views.reader.list({
      ...{ scope: { organization, tags: 'all' }, filter: null, filepath: null, source: null, customId: null },
      ...{ stages: ['failed'], sort: 'updatedAt', order: 'asc', offset: 0, limit: 1 },
    });
    count += total;
  }
  if (count === 0) return ok('failed documents', 'none');
  const advice = 'Which and why: mneme dead-letters list. Once more: mneme dead-letters retry.';
  return { name: 'failed documents', state: 'warning', detail: String(count), advice };
}

async function model({ config, server: running }: OperationsContext): Promise<Check> {
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
  const files = await inspectModel(modelFolder(config.dataFolder));
  if (files.every(({ checksumOk }) => checksumOk)) return ok('model', `${e5SmallV2.name} is installed`);
  const missing = files.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
  const detail = `${e5SmallV2.name}: ${missing.join(', ')} missing or damaged`;
  return {
    name: 'model',
    state: 'warning',
    detail,
    advice: 'mneme models install; a server fetches it by itself too.',
  };
}

async function disk({ config }: OperationsContext): Promise<Check> {
  const { bavail, bsize } = await statfs(config.dataFolder);
  const free = bavail * bsize;
  const detail = `${megabytes(free)} free; adds stop at ${megabytes(config.minFreeBytes)}`;
  const advice = `Make room on the disk of ${config.dataFolder}.`;
  if (free < config.minFreeBytes) return { name: 'disk', state: 'failed', detail, advice };
  if (free < config.minFreeBytes * 4) return { name: 'disk', state: 'warning', detail, advice };
  return ok('disk', detail);
}

/** What was deleted stands in write-ahead logs until these are emptied, and in segments until these are merged. */
async function leftToErase({ parts, config, server: running }: OperationsContext): Promise<Check> {
  const { files } = parts.storage;
  const { eventStoreUrl, openSearchUrl: url, natsUrl, prefix } = config;
  const owned = [
    ...(eventStoreUrl === null ? [files.events] : []),
    ...(url === null ? [files.views] : []),
    ...(natsUrl === null ? [files.vectors] : []),
  ];
  const logs = await Promise.all(
    owned.map(async (file) => ({ file: `${file}-wal`, bytes: await sizeOf(`${file}-wal`) })),
  );
  const found = logs.filter(({ bytes }) => bytes > 0).map(({ file, bytes }) => `${file} ${megabytes(bytes)}`);
  if (url !== null) {
    const { rows, deleted } = await inspectOpenSearchViews({ url, prefix });
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

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => null))?.size ?? 0;
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MiB`;
