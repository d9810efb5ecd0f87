/**
 * The part of EventStoreDB that a client can see: streams, one order of everything, expected versions with idempotence by
 * event id, stream metadata, deletion. In memory; it outlives the server that serves it, as a disk would.
 */
export interface Proposed {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface Stored extends Proposed {
  readonly stream: string;
  readonly revision: number;
  /** Offset in the log, the same as commit and as prepare position. */
  readonly position: number;
  /** 100 ns since the Unix epoch, as the protocol has it. */
  readonly created: string;
}

export type Expected = number | 'any' | 'no-stream' | 'stream-exists';

export type Appended =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-version'; readonly current: number | 'no-stream' }
  | { readonly kind: 'deleted' };

/** Bytes around each event in the log: positions have gaps that no client may count on. */
const RECORD_OVERHEAD = 96;
const SOFT_DELETED = Number.MAX_SAFE_INTEGER;
const TICKS_PER_MILLISECOND = 10_000n;

interface Stream {
  readonly events: Stored[];
  tombstoned: boolean;
}

interface Metadata {
  readonly $maxCount?: number;
  readonly $tb?: number;
}

export class Log {
  /** Everything, system events included, in its order. */
  readonly all: Stored[] = [];
  readonly #streams = new Map<string, Stream>();
  readonly #watchers = new Set<() => void>();
  #end = 0;

  append(name: string, proposed: readonly Proposed[], expected: Expected): Appended {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    const current = stream && stream.events.length > 0 ? stream.events.length - 1 : 'no-stream';
    const last = current === 'no-stream' ? -1 : current;
    const wrong: Appended = { kind: 'wrong-version', current };

    if (expected === 'any' || expected === 'stream-exists') {
      if (expected === 'stream-exists' && last < 0) return wrong;
      const standing = proposed.map(({ id }) => stream?.events.find((event) => event.id === id));
      if (standing[0]) {
        const end = standing.at(-1);
        return end && standing.every(Boolean) ? { kind: 'stored', ...placeOf(end) } : wrong;
      }
    } else {
      const before = expected === 'no-stream' ? -1 : expected;
      if (before > last) return wrong;
      if (before < last) {
        const standing = proposed.filter(({ id }, i) => stream?.events[before + 1 + i]?.id === id);
        if (standing.length === proposed.length) {
          return { kind: 'stored', ...placeOf(stream?.events[before + proposed.length] as Stored) };
        }
        const comesBack = expected === 'no-stream' && standing.length === 0 && this.#isSoftDeleted(name);
        if (!comesBack) return wrong;
      }
    }
    return { kind: 'stored', ...this.#store(name, proposed) };
  }

  /** What a reader may see of a stream, in its order. Null: not there, or deleted softly. */
  visible(name: string): readonly Stored[] | 'deleted' | null {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return 'deleted';
    if (!stream || stream.events.length === 0 || this.#isSoftDeleted(name)) return null;
    const { $maxCount, $tb = 0 } = this.#metadata(name);
    const kept = $maxCount === undefined ? 0 : stream.events.length - $maxCount;
    return stream.events.slice(Math.max($tb, kept, 0));
  }

  /** The stream reads as if it were not there, until somebody appends to it. */
  delete(name: string, expected: Expected): Appended {
    const events = this.#streams.get(name)?.events ?? [];
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    const metadata = JSON.stringify({ ...this.#metadata(name), $tb: SOFT_DELETED });
    return this.append(`$$${name}`, [metadataEvent(`${name}-${events.length}`, metadata)], 'any');
  }

  /** The stream is gone for ever. */
  tombstone(name: string, expected: Expected): Appended {
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    const { position } = this.#store(name, [metadataEvent(name, '', '$streamDeleted')]);
    const stream = this.#streams.get(name) as Stream;
    stream.tombstoned = true;
    return { kind: 'stored', revision: stream.events.length - 1, position };
  }

  /** Index in `all` of the first event at or behind a position. */
  indexOf(position: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle] as Stored).position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Calls back after every append, until the returned function is called. */
  watch(onAppend: () => void): () => void {
    this.#watchers.add(onAppend);
    return () => this.#watchers.delete(onAppend);
  }

  /** Whether these very bytes stand anywhere in the log, as they would on its disk. */
  holds(text: string): boolean {
    return this.all.some(({ data, metadata }) => [data, metadata].some((bytes) => Buffer.from(bytes).includes(text)));
  }

  #store(name: string, proposed: readonly Proposed[]): { revision: number; position: number } {
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
    return placeOf(stream.events.at(-1) as Stored);
  }

  #refusal(name: string, expected: Expected): Appended | null {
    const stream = this.#streams.get(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    const current = stream ? stream.events.length - 1 : 'no-stream';
    const fits = expected === 'any' || (expected === 'stream-exists' ? stream !== undefined : expected === current);
    return fits ? null : { kind: 'wrong-version', current };
  }

  /** A stream that is appended to after its deletion begins anew behind what was deleted. */
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

function placeOf({ revision, position }: Stored): { revision: number; position: number } {
  return { revision, position };
}

function metadataEvent(id: string, json: string, type = '$metadata'): Proposed {
  return { id, type, contentType: 'application/json', data: Buffer.from(json), metadata: new Uint8Array() };
}
