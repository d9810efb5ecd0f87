import type { Position } from '#ports/event-store';
import { type MergeOptions, removeDeletedRows } from '../admin/merge.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { CheckpointLease, readCheckpoint } from './lease.ts';

const EVERY_MS = 86_400_000;
/** Record in the meta index: milliseconds since the epoch of the last merge. */
const LAST_MERGE = 'last-merge';

export interface DailyMergeOptions extends MergeOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of the writer. */
  readonly fencingToken: number;
  readonly holder: string;
}

/**
 * Removes deleted rows from the files of the indices, unless a writer did so within the last 24 hours.
 * @throws FencedError, ViewsUnreachableError
 */
export async function mergeDaily(connection: Connection, aliases: Aliases, options: DailyMergeOptions): Promise<void> {
  const { now, fencingToken, holder } = options;
  const meta = aliases.of('meta');
  const last = await readCheckpoint(connection, meta, LAST_MERGE);
  const at = now();
  if (last !== null && at - Number(last) < EVERY_MS) return;
  if (!(await removeDeletedRows(connection, aliases, options))) return;
  const record = await CheckpointLease.take(connection, meta, fencingToken, holder, LAST_MERGE);
  await record.write(String(at) as Position);
}
