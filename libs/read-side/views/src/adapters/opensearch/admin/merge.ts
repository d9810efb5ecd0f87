import { setTimeout as pause } from 'node:timers/promises';
import type { Aliases } from '../aliases.ts';
import { onEveryCopy } from '../broadcast.ts';
import type { Connection } from '../connection.ts';
import { everyAlias, settingsOf } from './index-settings.ts';

export interface MergeOptions {
  /** Ends the wait for copies; a merge that runs is not interrupted. */
  readonly signal: AbortSignal;
  /** Milliseconds between two looks at the copies. Default: 1,000. */
  readonly lookEveryMs?: number;
  /** Milliseconds after which it gives up if a copy still needs deleted rows. Default: 180,000. */
  readonly patienceMs?: number;
}

const LOOK_EVERY_MS = 1_000;
/** Copies confirm within half of their lease and 30 seconds. The lease of one that is away ends after a minute. */
const PATIENCE_MS = 180_000;
/** A merge reads and writes the whole index. */
const MERGE_TIMEOUT_MS = 3_600_000;

/** A copy of a shard. */
interface Copy {
  readonly seq_no?: { readonly max_seq_no: number };
  readonly retention_leases?: { readonly leases?: readonly { readonly retaining_seq_no: number }[] };
}
type Shards = ReadonlyMap<string, readonly Copy[]>;

/**
 * Removes every row that was deleted or written over before the call from the files of all copies. OpenSearch keeps such
 * rows for copies that may have missed the change, so this waits first until every copy has confirmed it.
 * @returns false: a copy did not confirm in time, a shard has no copy at present, or the signal aborted; nothing is merged
 * @throws ViewsUnreachableError
 */
export async function removeDeletedRows(
  connection: Connection,
  aliases: Aliases,
  { signal, lookEveryMs = LOOK_EVERY_MS, patienceMs = PATIENCE_MS }: MergeOptions,
): Promise<boolean> {
  const every = await everyAlias(connection, aliases);
  const all = every.join();
  const written = lastWrites(await shardsOf(connection, all));
  if (written.size < (await countShards(connection, all))) return false;
  const until = performance.now() + patienceMs;
  while (!isConfirmed(await shardsOf(connection, all), written)) {
    if (signal.aborted || performance.now() > until) return false;
    await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
  // A merge removes only what a commit knows to be deleted; the commit after it lets go of the files of the one before.
  const timeout = MERGE_TIMEOUT_MS;
  const flush = { query: { force: true, wait_if_ongoing: true }, timeout };
  await onEveryCopy(connection, `/${all}/_flush`, flush);
  await onEveryCopy(connection, `/${all}/_forcemerge`, { query: { only_expunge_deletes: true }, timeout });
  await onEveryCopy(connection, `/${all}/_flush`, flush);
  // Searches hold the old files until they are refreshed. Units first, as the writer does: a document counts its units.
  const units = aliases.of('units');
  for (const alias of [units, ...every.filter((each) => each !== units)]) {
    await onEveryCopy(connection, `/${alias}/_refresh`, { timeout });
  }
  return true;
}

/** Returns the copies of every shard that has one. */
async function shardsOf(connection: Connection, indices: string): Promise<Shards> {
  const columns = 'indices.*.shards.*.seq_no,indices.*.shards.*.retention_leases';
  const { indices: found = {} } = await connection.call<{
    indices?: Readonly<Record<string, { readonly shards: Readonly<Record<string, readonly Copy[]>> }>>;
  }>({ method: 'GET', path: `/${indices}/_stats`, query: { level: 'shards', filter_path: columns } });
  return new Map(
    Object.entries(found).flatMap(([index, { shards }]) =>
      Object.entries(shards).map(([shard, copies]) => [`${index} ${shard}`, copies] as const),
    ),
  );
}

async function countShards(connection: Connection, indices: string): Promise<number> {
  const found = Object.values(await settingsOf(connection, indices));
  return found.reduce((sum, { settings }) => sum + Number(settings['index.number_of_shards']), 0);
}

/** Number of the last write of each shard. */
const lastWrites = (shards: Shards): ReadonlyMap<string, number> =>
  new Map([...shards].map(([shard, copies]) => [shard, Math.max(...copies.map(lastWrite))]));

const lastWrite = ({ seq_no }: Copy): number => seq_no?.max_seq_no ?? -1;

/** Whether no copy keeps what was written until then for another copy. */
function isConfirmed(shards: Shards, written: ReadonlyMap<string, number>): boolean {
  return [...written].every(([shard, last]) => {
    const copies = shards.get(shard) ?? [];
    const leases = copies.flatMap(({ retention_leases }) => retention_leases?.leases ?? []);
    return copies.length > 0 && leases.every(({ retaining_seq_no }) => retaining_seq_no > last);
  });
}
