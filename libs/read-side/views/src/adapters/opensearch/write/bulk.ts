import { setTimeout as pause } from 'node:timers/promises';
import { type RejectedRow, RowRejectedError } from '../../../errors.ts';
import type { Connection } from '../connection.ts';
import { ViewsMissingError, ViewsUnreachableError } from '../errors.ts';
import { getRows } from '../get-rows.ts';
import { checkRowSize, limitIn, type RowOwner, tooLarge } from '../row-size.ts';

/** A row to write. */
export interface BulkItem {
  /** An alias. */
  readonly index: string;
  readonly id: string;
  /** Rows with the same routing are in the same shard. */
  readonly routing: string;
  /** Not written over a newer version. */
  readonly version: number;
  /** The row as JSON. */
  readonly json: string;
  readonly owner: RowOwner;
}

export interface BulkLimits {
  readonly items: number;
  readonly bytes: number;
  /** Milliseconds. First pause when OpenSearch is overloaded; each further one is twice as long. */
  readonly firstPause: number;
  /** Pauses before it gives up. */
  readonly pauses: number;
  /**
   * Further pauses for a row that has more than `bytes`: it is rejected at their end if OpenSearch lacks the memory for it, but
   * takes small requests.
   */
  readonly morePauses: number;
}

export const BULK_LIMITS: BulkLimits = {
  items: 1_000,
  bytes: 4 * 1024 * 1024,
  firstPause: 100,
  pauses: 7,
  morePauses: 3,
};

const BULK_TIMEOUT_MS = 60_000;
/** Status of a row that does not fit its mapping. */
const BAD_ROW = 400;
/** Status of a request that is too large. */
const TOO_LARGE = 413;
/** In a refusal for want of memory, which a large row may need each time that it is sent. */
const LACKS_MEMORY = 'circuit_breaking_exception';
/** Id of no row. */
const PROBE = 'probe';
/** Concurrent bulks: while one is indexed the next is serialized. */
const IN_FLIGHT = 2;

interface ItemAnswer {
  readonly status: number;
  readonly error?: {
    readonly type: string;
    readonly reason: string;
    readonly caused_by?: { readonly reason?: string };
  };
}

/**
 * Writes all rows in requests of bounded size; a row that is older than the stored one is skipped.
 * @throws RowRejectedError if OpenSearch refuses a row for good; ViewsUnreachableError if it stays overloaded or is
 *   gone
 */
export async function writeBulk(connection: Connection, items: Iterable<BulkItem>, limits: BulkLimits): Promise<void> {
  const slices = sliced(items, limits);
  const lane = async () => {
    for (const slice of slices) await writeSlice(connection, slice, limits);
  };
  const lanes = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
}

interface Line {
  readonly item: BulkItem;
  readonly text: string;
  readonly bytes: number;
}

function* sliced(items: Iterable<BulkItem>, limits: BulkLimits): Generator<readonly Line[]> {
  let slice: Line[] = [];
  let bytes = 0;
  for (const item of items) {
    const line = lineOf(item);
    if (slice.length >= limits.items || (slice.length > 0 && bytes + line.bytes > limits.bytes)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(line);
    bytes += line.bytes;
  }
  if (slice.length > 0) yield slice;
}

/** @throws RowRejectedError */
function lineOf(item: BulkItem): Line {
  const { index, id, routing, version, json } = item;
  // Only through an alias: a deleted index must not be created again without its mapping.
  const place = { _index: index, _id: id, routing, version, version_type: 'external_gte', require_alias: true };
  const text = `${JSON.stringify({ index: place })}\n${json}\n`;
  const bytes = Buffer.byteLength(text);
  checkRowSize(item.owner, bytes);
  return { item, text, bytes };
}

async function writeSlice(connection: Connection, slice: readonly Line[], limits: BulkLimits): Promise<void> {
  let left = slice;
  for (let round = 0, wait = limits.firstPause; ; round += 1, wait *= 2) {
    const refusal = await attempt(connection, left);
    if (refusal === null) return;
    left = refusal.lines;
    const [line, ...others] = left;
    const isLarge = line !== undefined && others.length === 0 && line.bytes > limits.bytes;
    const lacksMemory = isLarge && refusal.reason.includes(LACKS_MEMORY);
    if (round >= limits.pauses + (lacksMemory ? limits.morePauses : 0)) {
      // While it refuses small requests too, the row is not what takes the memory.
      if (lacksMemory && (await takesSmall(connection, line))) throw tooLarge(line.item.owner, line.bytes, null);
      throw new ViewsUnreachableError(`OpenSearch has no room for a bulk: ${refusal.reason}`);
    }
    await pause(wait);
  }
}

/** Whether a small request passes the circuit breakers, on its way in and to the shard of the row. */
async function takesSmall(connection: Connection, { item: { index, routing } }: Line): Promise<boolean> {
  try {
    const probe = { _id: PROBE, routing };
    await getRows(connection, index, [probe]);
    return true;
  } catch (error) {
    if (error instanceof ViewsUnreachableError) return false;
    throw error;
  }
}

interface Refusal {
  /** Rows to send again. */
  readonly lines: readonly Line[];
  readonly reason: string;
}

async function attempt(connection: Connection, lines: readonly Line[]): Promise<Refusal | null> {
  let items: readonly ItemAnswer[];
  try {
    items = await send(connection, lines);
  } catch (error) {
    checkRefusal(lines, error as Error);
    if (error instanceof BusyError) return { lines, reason: error.message };
    throw error;
  }
  const again: Line[] = [];
  const rejected: RejectedRow[] = [];
  let reason = '';
  items.forEach(({ status, error }, i) => {
    const line = lines[i] as Line;
    // 409: a newer version is stored.
    if (status < 300 || status === 409) return;
    reason = `${error?.type}: ${error?.reason}`;
    if (error?.type === 'index_not_found_exception')
      throw new ViewsMissingError(`the views are not there: ${error.reason}`);
    // Other failures are not caused by the row, e.g. an index that takes no writes because the disk is nearly full.
    if (status === BAD_ROW)
      rejected.push({ ...line.item.owner, reason: [reason, error?.caused_by?.reason].filter(Boolean).join('; ') });
    else {
      checkRefusal(lines, { message: reason });
      again.push(line);
    }
  });
  if (rejected.length > 0) throw new RowRejectedError(onePerDocument(rejected));
  return again.length === 0 ? null : { lines: again, reason };
}

/** @throws RowRejectedError if OpenSearch refuses a row for its size. Rows that are larger than a slice are sent alone. */
function checkRefusal(
  [line, ...others]: readonly Line[],
  { message, status }: Pick<Error, 'message'> & { readonly status?: number },
): void {
  if (line === undefined || others.length > 0) return;
  const limit = limitIn(message);
  if (limit !== null || status === TOO_LARGE) throw tooLarge(line.item.owner, line.bytes, limit);
}

function onePerDocument(rejected: readonly RejectedRow[]): readonly RejectedRow[] {
  return [...new Map(rejected.map((row) => [`${row.model} ${row.organization} ${row.id}`, row])).values()];
}

/** The whole request was refused because of overload. */
class BusyError extends Error {}

async function send(connection: Connection, lines: readonly Line[]): Promise<readonly ItemAnswer[]> {
  const { items } = await connection
    .call<{ items: readonly { readonly index: ItemAnswer }[] }>(
      { method: 'POST', path: '/_bulk', lines: lines.map(({ text }) => text).join('') },
      BULK_TIMEOUT_MS,
    )
    .catch((error: unknown) => {
      if (error instanceof ViewsUnreachableError && error.status !== null) throw new BusyError(error.message);
      throw error;
    });
  return items.map(({ index }) => index);
}
