import { randomUUID } from 'node:crypto';

/**
 * The client-visible behaviour of EventStoreDB in memory: streams, a global order, expected versions with idempotence by
 * event id, stream metadata, deletion, scavenges, copies. It outlives the server object like a disk.
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
  /** Of a tombstone: TOMBSTONE_REVISION. */
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
/** The largest signed integer of 64 bits, in JSON. */
const SOFT_DELETED = '9223372036854775807';
/** The same as a number. */
export const TOMBSTONE_REVISION = Number(SOFT_DELETED);
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
  /** Positions of events that a scavenge has removed. */
  readonly #scavenged = new Set<number>();
  #end = 0;

  append(name: string, proposed: readonly ProposedEvent[], expected: ExpectedRevision): AppendResult {
    const stream = this.#streams.get(name);
    if (this.isTombstoned(name)) return { kind: 'deleted' };
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
    if (this.isTombstoned(name)) return 'deleted';
    if (!stream || stream.events.length === 0 || this.#isSoftDeleted(name)) return null;
    const { $maxCount, $tb = 0 } = this.#metadata(name);
    const kept = $maxCount === undefined ? 0 : stream.events.length - $maxCount;
    return stream.events.slice(Math.max($tb, kept, 0));
  }

  /** Soft-deletes a stream: it is invisible until the next append. */
  delete(name: string, expected: ExpectedRevision): AppendResult {
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    if (!this.#streams.has(name)) return { kind: 'wrong-version', current: 'no-stream' };
    const { $tb: _, ...metadata } = this.#metadata(name);
    const text = JSON.stringify({ ...metadata, $tb: 0 }).replace(/"\$tb":0}$/, `"$$tb":${SOFT_DELETED}}`);
    return this.append(`$$${name}`, [systemEvent(text, '$metadata')], 'any');
  }

  /** Deletes a stream permanently. */
  tombstone(name: string, expected: ExpectedRevision): AppendResult {
    const refused = this.#refusal(name, expected);
    if (refused) return refused;
    const stream = this.#streamOf(name);
    const stored = this.#record(name, systemEvent('', '$streamDeleted'), TOMBSTONE_REVISION);
    stream.tombstoned = true;
    this.#notify();
    return { kind: 'stored', ...positionsOf(stored) };
  }

  /** Whether a stream, or the one whose metadata it holds, was deleted permanently. */
  isTombstoned(name: string): boolean {
    const owner = name.startsWith('$$') ? name.slice(2) : name;
    return this.#streams.get(owner)?.tombstoned ?? false;
  }

  /** Whether a position is neither that of an event, nor beyond the end. */
  isWithinEvent(position: number): boolean {
    if (position >= this.#end || this.#scavenged.has(position)) return false;
    return this.all[this.indexOf(position)]?.position !== position;
  }

  /** Removes the events of tombstoned streams. */
  scavenge(): void {
    const kept = this.all.filter(({ stream, revision }) => {
      return !this.isTombstoned(stream) || revision === TOMBSTONE_REVISION;
    });
    for (const { position } of this.all.filter((event) => !kept.includes(event))) this.#scavenged.add(position);
    this.all.splice(0, this.all.length, ...kept);
  }

  /** Returns what a backup of the database holds. */
  copy(): readonly StoredEvent[] {
    return [...this.all];
  }

  /** Puts a copy back in place of everything; the positions behind its end are given out again. Only while no server runs. */
  restore(copy: readonly StoredEvent[]): void {
    this.all.splice(0, this.all.length, ...copy);
    this.#streams.clear();
    for (const event of copy) {
      const stream = this.#streamOf(event.stream);
      if (event.revision === TOMBSTONE_REVISION) stream.tombstoned = true;
      else stream.events.push(event);
    }
    const last = copy.at(-1);
    this.#end = last === undefined ? 0 : last.position + lengthOf(last);
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
    const stream = this.#streamOf(name);
    if (this.#isSoftDeleted(name)) this.#restore(name, stream.events.length);
    for (const event of proposed) stream.events.push(this.#record(name, event, stream.events.length));
    this.#notify();
    return positionsOf(stream.events.at(-1) as StoredEvent);
  }

  #streamOf(name: string): Stream {
    const stream = this.#streams.get(name) ?? { events: [], tombstoned: false };
    this.#streams.set(name, stream);
    return stream;
  }

  #record(name: string, event: ProposedEvent, revision: number): StoredEvent {
    const created = String(BigInt(Date.now()) * TICKS_PER_MILLISECOND);
    const stored = { ...event, stream: name, revision, position: this.#end, created };
    this.all.push(stored);
    this.#end += lengthOf(event);
    return stored;
  }

  #notify(): void {
    for (const onAppend of [...this.#watchers]) onAppend();
  }

  #refusal(name: string, expected: ExpectedRevision): AppendResult | null {
    const stream = this.#streams.get(name);
    if (this.isTombstoned(name)) return { kind: 'deleted' };
    const current = stream ? stream.events.length - 1 : 'no-stream';
    const fits = expected === 'any' || (expected === 'stream-exists' ? stream !== undefined : expected === current);
    return fits ? null : { kind: 'wrong-version', current };
  }

  /** Makes a soft-deleted stream visible from a revision on, for an append after its deletion. */
  #restore(name: string, from: number): void {
    const metadata = JSON.stringify({ ...this.#metadata(name), $tb: from });
    this.#store(`$$${name}`, [systemEvent(metadata, '$metadata')]);
  }

  #isSoftDeleted(name: string): boolean {
    return this.#metadata(name).$tb === TOMBSTONE_REVISION;
  }

  #metadata(name: string): Metadata {
    return this.lastJson(`$$${name}`) ?? {};
  }

  /** Returns the JSON of the last event of a stream, or null if there is none. */
  lastJson<T extends object>(name: string): T | null {
    const event = this.#streams.get(name)?.events.at(-1);
    return event ? (JSON.parse(Buffer.from(event.data).toString()) as T) : null;
  }
}

const lengthOf = ({ data, metadata }: ProposedEvent): number => RECORD_OVERHEAD + data.length + metadata.length;

function positionsOf({ revision, position }: StoredEvent): { revision: number; position: number } {
  return { revision, position };
}

/** An event that the server writes itself. */
export function systemEvent(json: string, type: string): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: 'application/json',
    data: Buffer.from(json),
    metadata: new Uint8Array(),
  };
}
