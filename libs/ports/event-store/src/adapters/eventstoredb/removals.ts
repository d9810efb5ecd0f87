import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position, Removals } from '../../port.ts';
import { numberOf, positionOf } from '../../positions.ts';
import type { Connection } from './connection.ts';
import { LogEntry } from './log-entry.ts';
import { isSoftDeleted, metadataIn } from './metadata.ts';
import type { RemovedStreams } from './removed-streams.ts';
import { placeOf } from './removed-streams.ts';
import { allRequest, newestOfAllRequest, type ServerFilter } from './requests.ts';
import { SNAPSHOTS } from './wire.ts';

const TOMBSTONE = '$streamDeleted';
/** Soft deletions are metadata of streams. */
const REMOVALS: ServerFilter = { on: 'type', prefixes: [TOMBSTONE, '$metadata'] };
const PAGE = 1_000;

interface Removal {
  /** Of the database. */
  readonly name: string;
  readonly isTombstoned: boolean;
}

/** Returns the removal of a stream that the entry reports, or null. */
export function removalIn({ stream, type, bytes }: LogEntry): Removal | null {
  if (stream.startsWith('$$')) {
    const name = stream.slice(2);
    return isOfLog(name) && isSoftDeleted(metadataIn(bytes)) ? { name, isTombstoned: false } : null;
  }
  return type === TOMBSTONE && isOfLog(stream) ? { name: stream, isTombstoned: true } : null;
}

const isOfLog = (name: string): boolean => !name.startsWith('$') && !name.startsWith(SNAPSHOTS);

/** Reads from the log which streams were removed with the tools of the database. */
export class RemovalLog {
  readonly #connection: Connection;
  readonly #removed: RemovedStreams;
  #noticed = Promise.withResolvers<void>();

  constructor(connection: Connection, removed: RemovedStreams) {
    this.#connection = connection;
    this.#removed = removed;
  }

  /** The log may hold removals that were not read yet. */
  notice(): void {
    this.#noticed.resolve();
    this.#noticed = Promise.withResolvers();
  }

  /** @see EventStore.removals */
  async *read(after: Position | null, signal: AbortSignal): AsyncGenerator<Removals> {
    const ending = this.#connection.closingOr(signal);
    const aborted = new Promise<void>((resolve) => {
      ending.addEventListener('abort', () => resolve(), { once: true });
    });
    let at = after;
    while (!signal.aborted) {
      const noticed = this.#noticed.promise;
      const next = await this.#next(at, ending).catch((error) => {
        if (signal.aborted) return null;
        throw error;
      });
      if (next === null) return;
      at = next.at;
      if (at !== null) yield { streams: next.streams, position: at, end: next.end };
      if (next.end) await Promise.race([noticed, aborted]);
    }
  }

  async #next(from: Position | null, signal: AbortSignal) {
    const after = from && numberOf(from);
    const read = async (request: ReadReq) =>
      (await this.#connection.retryUntil(signal, () => this.#connection.read(request))) ?? [];
    const [newest] = await read(newestOfAllRequest(null, 1));
    const entries = (await read(allRequest(after, PAGE, REMOVALS))).map(LogEntry.of);
    const isNew = ({ position }: LogEntry) => after === null || position > after;
    const removals = entries
      .filter(isNew)
      .map(removalIn)
      .filter((removal) => removal !== null);
    for (const { name, isTombstoned } of removals) await this.#removed.finish(name, isTombstoned);
    const end = entries.length < PAGE;
    // At the end, everything up to what was the newest event before has been examined.
    const examined = [...entries.slice(-1), ...(end && newest ? [LogEntry.of(newest)] : [])].filter(isNew);
    const [last] = examined.sort((a, b) => b.position - a.position);
    const streams = [...new Set(removals.map(({ name }) => placeOf(name).stream))];
    return { streams, at: last === undefined ? from : positionOf(last), end };
  }
}
