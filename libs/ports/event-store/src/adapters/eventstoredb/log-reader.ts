import { hasCode } from '#platform/kernel';
import type { AllSlice, EventFilter, EventStore, Position, StreamRange, StreamSlice } from '../../port.ts';
import { type EventRef, isHeld, numberOf, positionOf } from '../../positions.ts';
import type { ClientState } from './client-state.ts';
import { eraseStream } from './erasure.ts';
import { BEGINNING, type LogBatch } from './live-log.ts';
import { LogEntry } from './log-entry.ts';
import { SoftDeletedError } from './removed-streams.ts';
import { allRequest, lastOfStreamRequest, type RecordedMessage, type ServerFilter, streamRequest } from './requests.ts';
import { matchesNothing, scanOf } from './scan.ts';
import { erasesItsStream } from './sealing.ts';
import { missingKey, unseal, withoutPayloads } from './unsealing.ts';
import { commitPosition, eventId } from './wire.ts';

const DEFAULT_BATCH = 512;
/** Events in one request if this side filters too. */
const PAGE = 1000;
/** Limit of the events that one filtered read examines on this side. */
const MAX_EXAMINED = 20_000;

type ReadAllOptions = Parameters<EventStore['readAll']>[0];

interface ExaminedBatch extends LogBatch {
  /** The last event that was examined; at the end of the log, the last own one. Null: none was examined. */
  readonly last: EventRef | null;
}

/** Reads streams and the whole log, and unseals payloads. */
export class LogReader {
  readonly #client: ClientState;

  constructor(client: ClientState) {
    this.#client = client;
  }

  async readStream(stream: string, { from = 0, limit, mayBeStale = false }: StreamRange): Promise<StreamSlice> {
    return this.#client.connection.retry(async () => {
      const isKnown = mayBeStale && this.#client.keys.liveIn(stream) !== null;
      const [messages, asked] = await Promise.all([
        this.#client.connection.read(streamRequest(stream, from, limit)),
        isKnown ? null : this.#client.keys.isErased(stream),
      ]);
      const marked = asked ?? (messages === null && (await this.#client.keys.isErased(stream)));
      if (messages === null && marked) throw new SoftDeletedError(stream);
      if (messages === null) return { events: [], revision: 'no-stream', erased: false };
      this.#client.ids.add(stream, from, messages.map(eventId));
      const erasing = messages.some((message) => erasesItsStream(message.getData_asU8()));
      // A client stopped between the append that erases and the destruction of the keys.
      if (erasing && !marked) await eraseStream(this.#client.connection, this.#client.keys, stream);
      const last = messages.at(-1) ?? (await this.lastOf(stream));
      const revision = last === null ? 'no-stream' : Number(last.getStreamRevision());
      return {
        events: await unseal(this.#client.keys, messages.map(LogEntry.of), missingKey),
        // An event that was appended between the two reads is not in `events`, so the revision must not include it.
        revision: messages.length === 0 && revision !== 'no-stream' ? Math.min(revision, from - 1) : revision,
        erased: erasing || marked,
      };
    });
  }

  async readAll(options: ReadAllOptions): Promise<AllSlice> {
    const { limit, filter = {}, envelopesOnly = false } = options;
    const after = options.after === null ? BEGINNING : numberOf(options.after);
    return this.#client.connection.retry(async () => {
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      const head = isFiltered ? await this.#client.newest.read() : null;
      const { entries, last, end } = await this.#find(after, filter, limit, head?.position ?? BEGINNING);
      const events = envelopesOnly ? withoutPayloads(entries) : await unseal(this.#client.keys, entries);
      const examined = end && head !== null && head.position > (last?.position ?? after) ? head : last;
      return { events, position: examined === null ? options.after : positionOf(examined), end };
    });
  }

  /** Returns the newest event that Mneme recorded. Null: the log is empty. */
  newestEvent(): Promise<EventRef | null> {
    return this.#client.connection.retry(() => this.#client.newest.read());
  }

  /** As `newestEvent`, or the newest that is known while the server cannot be reached. */
  async knownEvent(): Promise<EventRef | null> {
    try {
      return await this.#client.connection.retry(() => this.#client.newest.read(), 0);
    } catch (error) {
      if (!hasCode(error, 'event_store_unreachable')) throw error;
      return this.#client.newest.known;
    }
  }

  holds(position: Position): Promise<boolean> {
    return isHeld(position, (event) => this.#client.connection.retry(() => this.#holds(event)));
  }

  async #holds({ position, id }: EventRef): Promise<boolean> {
    try {
      const [message] = (await this.#client.connection.read(allRequest(position, 1, null))) ?? [];
      if (message === undefined) return false;
      // Behind the position: what was there was scavenged.
      return commitPosition(message) > position || eventId(message) === id;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncGenerator<AllSlice> {
    const { signal, filter = {} } = options;
    const { keeps } = scanOf(filter);
    const ending = this.#client.connection.closingOr(signal);
    let after = options.after === null ? BEGINNING : numberOf(options.after);
    while (!signal.aborted) {
      const next = await this.#next(after, options, ending).catch((error) => {
        if (signal.aborted) return null;
        throw error;
      });
      if (next === null || signal.aborted) return;
      after = next.position;
      const { events, end } = next;
      const last = events.at(-1);
      if (last !== undefined) yield { events, position: last.position, end };
      if (end) after = await this.#client.live.beyond(after, keeps, signal);
    }
  }

  /** Returns what follows a position: from the live log if it reaches back so far, from the server otherwise. */
  async #next(after: number, options: Parameters<EventStore['subscribe']>[0], signal: AbortSignal) {
    const { filter = {}, envelopesOnly = false, batch: limit = DEFAULT_BATCH } = options;
    const taken = this.#client.live.take(after, scanOf(filter).keeps, limit);
    if (taken && (envelopesOnly || taken.entries.length === 0)) {
      return { ...taken, events: withoutPayloads(taken.entries) };
    }
    const read = async () => {
      // A log that is not followed may have been replaced.
      if (taken === null) await this.#client.live.started();
      const found = taken ?? (await this.#find(after, filter, limit, this.#client.head.head ?? BEGINNING));
      const events = envelopesOnly ? withoutPayloads(found.entries) : await unseal(this.#client.keys, found.entries);
      return { ...found, events };
    };
    return this.#client.connection.retryUntil(signal, read);
  }

  /** Returns the newest event of a stream, or null if there is no such stream. */
  async lastOf(stream: string): Promise<RecordedMessage | null> {
    const messages = await this.#client.connection.retry(() =>
      this.#client.connection.read(lastOfStreamRequest(stream)),
    );
    return messages?.[0] ?? null;
  }

  /**
   * Reads up to `limit` events behind a position.
   * @param head a position that the log had reached before: a filtered read that ends before it continues behind it
   */
  async #find(after: number, filter: EventFilter, limit: number, head: number): Promise<ExaminedBatch> {
    const { onServer, isNarrow, keeps } = scanOf(filter);
    const entries: LogEntry[] = [];
    let position = after;
    let last: EventRef | null = null;
    let lastOwn: EventRef | null = null;
    const found = (end: boolean): ExaminedBatch => {
      if (!end) return { entries, position, last, end };
      return { entries, position: Math.max(position, head), last: lastOwn, end };
    };
    if (matchesNothing(filter)) return found(true);

    for (let examined = 0, size = isNarrow ? limit + 1 : PAGE; examined < MAX_EXAMINED; ) {
      const page = await this.#page(position, size, onServer);
      for (const entry of page.entries) {
        // One match more than the limit shows that this is not the end.
        if (entries.length === limit && keeps(entry)) {
          last = entries.at(-1) as LogEntry;
          position = last.position;
          return found(false);
        }
        if (entry.isOwn) lastOwn = entry;
        if (keeps(entry)) entries.push(entry);
      }
      last = page.entries.at(-1) ?? last;
      position = last?.position ?? position;
      if (page.end) return found(true);
      examined += page.entries.length;
      // Among events of the server, twice as many as are missing; more if there was none at all.
      const missing = limit + 1 - entries.length;
      if (isNarrow) size = Math.min(PAGE, 2 * (missing > limit ? size : missing));
    }
    return found(false);
  }

  /** Reads events strictly behind a position. */
  async #page(after: number, count: number, filter: ServerFilter | null) {
    const from = after === BEGINNING ? null : after;
    // The server's answer includes the event at the given position, if the filter matches it.
    const requested = from === null ? count : count + 1;
    const messages = (await this.#client.connection.read(allRequest(from, requested, filter))) ?? [];
    const entries = messages.map(LogEntry.of);
    const behind = entries.filter(({ position }) => position > after);
    return { entries: behind.slice(0, count), end: messages.length < requested };
  }
}
