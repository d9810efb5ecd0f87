/**
 * The client-visible behaviour of EventStoreDB in memory: streams, a global order, expected versions with idempotence by
 * event id, stream metadata, deletion. It outlives the server object like a disk.
 */
export interface ProposedEvent {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Offset in the log: both commit and prepare position. */
  readonly position: number;
  /** Time in units of 100 ns since the Unix epoch, as in the protocol. */
  readonly created: string;
}

export type ExpectedRevision = number | 'any' | 'no-stream' | 'stream-exists';

export type AppendResult =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-version'; readonly current: number | 'no-stream' }
  | { readonly kind: 'deleted' };

/** Bytes added to each event, so that positions have gaps. */
const RECORD_OVERHEAD = 96;
const SOFT_DELETED = Number.MAX_SAFE_INTEGER;
const TICKS_PER_MILLISECOND = 10_000n;

interface Stream {
  readonly events: StoredEvent[];
  tombstoned: boolean;
}

interface Metadata {
  readonly $maxCount?: number;
  readonly $tb?: number;
}

export class Log {
  /** All events, system events included, in order. */
  readonly all: StoredEvent[] = [];
  readonly #streams = new Map<string, Stream>();
  readonly #watchers = new Set<() => void>();
  #end = 0;

  append(name: string, proposed: readonly ProposedEvent[], expected: ExpectedRevision): AppendResult {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    const current = stream && stream.events.length > 0 ? stream.events.length - 1 : 'no-stream';
    const last = current === 'no-stream' ? -1 : current;
    const wrong: AppendResult = { kind: 'wrong-version', current };

    if (expected === 'any' || expected === 'stream-exists') {
      if (expected === 'stream-exists' && last < 0) return wrong;
      const existing = proposed.map(({ id }) => stream?.events.find((event) => event.id === id));
      if (existing[0]) {
        const end = existing.at(-1);
        return end && existing.every(Boolean) ? { kind: 'stored', ...positionsOf(end) } : wrong;
      }
    } else {
      const before = expected === 'no-stream' ? -1 : expected;
      if (before > last) return wrong;
      if (before < last) {
        const existing = proposed.filter(({ id }, i) => stream?.events[before + 1 + i]?.id === id);
        if (existing.length === proposed.length) {
          return { kind: 'stored', ...positionsOf(stream?.events[before + proposed.length] as StoredEvent) };
        }
        const isRestored = expected === 'no-stream' && existing.length === 0 && this.#isSoftDeleted(name);
        if (!isRestored) return wrong;
      }
    }
    return { kind: 'stored', ...this.#store(name, proposed) };
  }

  /** Returns the visible events of a stream in order; null if it does not exist or is soft-deleted. */
  visible(name: string): readonly StoredEvent[] | 'deleted' | null {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return 'deleted';
    if (!stream || stream.events.length === 0 || this.#isSoftDeleted(name)) return null;
    const { $maxCount, $tb = 0 } = this.#metadata(name);
    const kept = $maxCount === undefined ? 0 : stream.events.length - $maxCount;
    return stream.events.slice(Math.max($tb, kept, 0));
  }

  /** Soft-deletes a stream: it is invisible until the next append. */
  delete(name: string, expected: ExpectedRevision): AppendResult {
    const events = this.#streams.get(name)?.events ?? [];
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    const metadata = JSON.stringify({ ...this.#metadata(name), $tb: SOFT_DELETED });
    return this.append(`$$${name}`, [metadataEvent(`${name}-${events.length}`, metadata)], 'any');
  }

  /** Deletes a stream permanently. */
  tombstone(name: string, expected: ExpectedRevision): AppendResult {
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    const { position } = this.#store(name, [metadataEvent(name, '', '$streamDeleted')]);
    const stream = this.#streams.get(name) as Stream;
    stream.tombstoned = true;
    return { kind: 'stored', revision: stream.events.length - 1, position };
  }

  /** Returns the index in `all` of the first event at or after a position. */
  indexOf(position: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle] as StoredEvent).position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Calls `onAppend` after every append until the returned function is called. */
  watch(onAppend: () => void): () => void {
    this.#watchers.add(onAppend);
    return () => this.#watchers.delete(onAppend);
  }

  /** Tests whether the log contains these bytes anywhere. */
  holds(text: string): boolean {
    return this.all.some(({ data, metadata }) => [data, metadata].some((bytes) => Buffer.from(bytes).includes(text)));
  }

  #store(name: string, proposed: readonly ProposedEvent[]): { revision: number; position: number } {
    const stream = this.#streams.get(name) ?? { events: [], tombstoned: false };
    this.#streams.set(name, stream);
    if (this.#isSoftDeleted(name)) this.#restore(name, stream.events.length);
    const created = String(BigInt(Date.now()) * TICKS_PER_MILLISECOND);
    for (const event of proposed) {
      const stored = { ...event, stream: name, revision: stream.events.length, position: this.#end, created };
      stream.events.push(stored);
      this.all.push(stored);
      this.#end += RECORD_OVERHEAD + event.data.length + event.metadata.length;
    }
    for (const onAppend of [...this.#watchers]) onAppend();
    return positionsOf(stream.events.at(-1) as StoredEvent);
  }

  #refusal(name: string, expected: ExpectedRevision): AppendResult | null {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    const current = stream ? stream.events.length - 1 : 'no-stream';
    const fits = expected === 'any' || (expected === 'stream-exists' ? stream !== undefined : expected === current);
    return fits ? null : { kind: 'wrong-version', current };
  }

  /** Makes a soft-deleted stream visible from a revision on, for an append after its deletion. */
  #restore(name: string, from: number): void {
    const metadata = JSON.stringify({ ...this.#metadata(name), $tb: from });
    this.#store(`$$${name}`, [metadataEvent(`${name}-restored-${from}`, metadata)]);
  }

  #isSoftDeleted(name: string): boolean {
    return this.#metadata(name).$tb === SOFT_DELETED;
  }

  #metadata(name: string): Metadata {
    const event = this.#streams.get(`$$${name}`)?.events.at(-1);
    return event ? (JSON.parse(Buffer.from(event.data).toString()) as Metadata) : {};
  }
}

function positionsOf({ revision, position }: StoredEvent): { revision: number; position: number } {
  return { revision, position };
}

function metadataEvent(id: string, json: string, type = '$metadata'): ProposedEvent {
  return { id, type, contentType: 'application/json', data: Buffer.from(json), metadata: new Uint8Array() };
}
