import type { LogEntry } from './log-entry.ts';
import type { Scan } from './scan.ts';

/** Memory for the newest entries. A reader that is further behind reads from the server. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of an entry in memory, besides data and metadata. */
const OVERHEAD_BYTES = 512;
/** Milliseconds. */
const TOGETHER_MS = 2;
/** Before the first position of a log. */
export const BEGINNING = -1;

export interface LogBatch {
  readonly entries: readonly LogEntry[];
  /** Everything up to here was examined. */
  readonly position: number;
  /** Nothing newer has arrived. */
  readonly end: boolean;
}

interface Sleeper {
  /** Everything up to here was examined. */
  after: number;
  readonly keeps: Scan['keeps'];
  wake(): void;
}

/**
 * The newest entries of the log, as one subscription delivers them, for all readers of this client. It is without gaps
 * while the subscription lasts; a reader that has reached its first entry needs no reads.
 */
export class LiveLog {
  readonly #maxBytes: number;
  #entries: LogEntry[] = [];
  #removed = 0;
  #bytes = 0;
  /** The entries are all that follow this position. Null: there is no subscription. */
  #from: number | null = null;
  /** Revisions of the last events of appends of this client whose events have not all arrived, by stream. */
  readonly #awaited = new Map<string, number>();
  /** The first entries of such an append. */
  readonly #held: LogEntry[] = [];
  readonly #sleepers = new Set<Sleeper>();
  readonly #due = new Set<Sleeper>();
  #starting = Promise.withResolvers<void>();
  #ended: Error | null = null;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Every entry behind this position will be pushed, in order. */
  start(from: number): void {
    this.#clear();
    this.#from = from;
    this.#starting.resolve();
    for (const sleeper of this.#sleepers) if (sleeper.after < from) this.#wakeSoon(sleeper);
  }

  /** Entries may be missed until the next start. */
  stop(): void {
    this.#clear();
    if (this.#from !== null) this.#starting = Promise.withResolvers();
    this.#from = null;
  }

  /** Resolves when there is a subscription. */
  async started(): Promise<void> {
    await this.#starting.promise;
    this.#checkEnded();
  }

  push(entry: LogEntry): void {
    if (this.#from === null || entry.position <= (this.#held.at(-1)?.position ?? this.#last())) return;
    this.#held.push(entry);
    if (entry.revision < (this.#awaited.get(entry.stream) ?? 0)) return;
    this.#awaited.delete(entry.stream);
    this.#show();
  }

  /**
   * Shows no entry of an append before its last one, because a reader that gets a part acts on it, and then again.
   * @param last revision of the last event
   * @returns a function for an append that was not carried out
   */
  awaitWhole(stream: string, last: number): () => void {
    this.#awaited.set(stream, last);
    return () => {
      if (this.#awaited.get(stream) === last) this.#awaited.delete(stream);
      this.#show();
    };
  }

  /** Returns up to `limit` matching entries behind a position, or null: they have to be read from the server. */
  take(after: number, keeps: Scan['keeps'], limit: number): LogBatch | null {
    if (this.#from === null || after < this.#from) return null;
    const entries: LogEntry[] = [];
    for (let at = this.#indexAfter(after); at < this.#entries.length; at++) {
      const entry = this.#entries[at] as LogEntry;
      if (!keeps(entry)) continue;
      // One match more than the limit shows that this is not the end.
      if (entries.length === limit) return { entries, position: entries[limit - 1]?.position ?? after, end: false };
      entries.push(entry);
    }
    return { entries, position: Math.max(after, this.#last()), end: true };
  }

  /**
   * Resolves when there may be a match behind a position up to which everything was examined, or when the signal aborts.
   * @returns the position up to which everything is examined by then
   */
  async beyond(after: number, keeps: Scan['keeps'], signal: AbortSignal): Promise<number> {
    this.#checkEnded();
    if (signal.aborted || (this.#from !== null && after < this.#last())) return after;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const sleeper: Sleeper = { after, keeps, wake };
    this.#sleepers.add(sleeper);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#sleepers.delete(sleeper);
    this.#due.delete(sleeper);
    if (!signal.aborted) this.#checkEnded();
    return sleeper.after;
  }

  /** Rejects present and later readers that wait. */
  end(error: Error): void {
    this.#ended = error;
    this.#starting.resolve();
    for (const { wake } of this.#sleepers) wake();
  }

  #checkEnded(): void {
    if (this.#ended) throw this.#ended;
  }

  /** Appends the entries that were held. */
  #show(): void {
    for (const entry of this.#held.splice(0)) {
      this.#entries.push(entry);
      this.#bytes += sizeOf(entry);
      while (this.#bytes > this.#maxBytes) this.#removeFirst();
      for (const sleeper of this.#sleepers) {
        if (entry.position <= sleeper.after || this.#due.has(sleeper)) continue;
        if (sleeper.keeps(entry)) this.#wakeSoon(sleeper);
        else sleeper.after = entry.position;
      }
    }
  }

  /** So that entries that arrive together are taken together, e.g. those of an append elsewhere. */
  #wakeSoon(sleeper: Sleeper): void {
    if (this.#due.size === 0) {
      setTimeout(() => {
        for (const { wake } of this.#due) wake();
        this.#due.clear();
      }, TOGETHER_MS);
    }
    this.#due.add(sleeper);
  }

  #last(): number {
    return this.#entries.at(-1)?.position ?? this.#from ?? BEGINNING;
  }

  #indexAfter(position: number): number {
    let [low, high] = [this.#removed, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as LogEntry).position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #removeFirst(): void {
    const first = this.#entries[this.#removed] as LogEntry;
    this.#bytes -= sizeOf(first);
    this.#from = first.position;
    this.#removed++;
    // Copied when half of it is removed, so that each entry is copied about once.
    if (this.#removed * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#removed);
    this.#removed = 0;
  }

  #clear(): void {
    this.#entries = [];
    this.#removed = 0;
    this.#bytes = 0;
    this.#awaited.clear();
    this.#held.length = 0;
  }
}

function sizeOf({ data, metadata }: LogEntry): number {
  return OVERHEAD_BYTES + data.length + metadata.length;
}
