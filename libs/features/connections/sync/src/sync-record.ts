import {
  type Connection,
  type ConnectionRepository,
  type ItemsSynced,
  NO_COUNTS,
  type RunningSync,
  type SyncCounts,
  type SyncEnd,
  type SyncedItem,
  type SyncTrigger,
} from '#features/connections';
import { type Clock, mnemeError, newId } from '#platform/kernel';
import type { SyncTiming } from './options.ts';

/** The connection is deleted, or another process syncs it. */
class SyncOverError extends mnemeError('fenced', 'sync_over') {}

/** Bytes of the JSON of the items of one event. */
const EVENT_BYTES = 24_000;
/** Bytes of the JSON of items that wait to be recorded. One append holds them. */
const MOST_WAITING = 10 * EVENT_BYTES;

/** What a sync has done, recorded now and then. */
export class SyncRecord {
  readonly #connections: ConnectionRepository;
  readonly #timing: SyncTiming;
  readonly #clock: Clock;
  readonly #running: { -readonly [Name in keyof RunningSync]: RunningSync[Name] };
  #connection: Connection;
  #isStarted: boolean;
  /** Null: none was begun yet. */
  #segment: number | null = null;
  #waiting: { items: SyncedItem[]; removed: string[] }[] = [];
  #bytes = { event: 0, all: 0 };
  #recordedAt: number;
  #recording: Promise<void> = Promise.resolve();

  constructor(
    connection: Connection,
    trigger: SyncTrigger,
    { connections, timing, clock }: { connections: ConnectionRepository; timing: SyncTiming; clock: Clock },
  ) {
    this.#connection = connection;
    this.#connections = connections;
    this.#timing = timing;
    this.#clock = clock;
    const { running } = connection;
    this.#isStarted = running !== null;
    this.#running = {
      ...(running ?? { ...NO_COUNTS, id: newId(), trigger, startedAt: clock.now() }),
      // What is listed again is counted again.
      found: 0,
    };
    this.#recordedAt = clock.now();
  }

  /** As it was when something was recorded last. */
  get connection(): Connection {
    return this.#connection;
  }

  get running(): RunningSync {
    return this.#running;
  }

  /** Records that the sync runs. @throws SyncOverError */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    const { id, trigger } = this.#running;
    this.#accept(await this.#connections.start(this.#connection, id, trigger));
    this.#isStarted = true;
  }

  /** Reads what others have changed of the connection. @throws SyncOverError */
  async reload(): Promise<void> {
    const connection = await this.#connections.load(this.#connection);
    if (connection === null) throw new SyncOverError('the connection is deleted');
    this.#connection = connection;
  }

  count(counts: Partial<SyncCounts>): void {
    for (const name of ['found', 'done', 'failed', 'bytes'] as const) this.#running[name] += counts[name] ?? 0;
  }

  /** Takes what has become of an item, to be recorded. */
  item(item: SyncedItem): Promise<void> {
    return this.#add((last) => last.items.push(item), item);
  }

  /** Takes an item of which nothing is to be known any more. */
  removed(id: string): Promise<void> {
    return this.#add((last) => last.removed.push(id), id);
  }

  /** Records how far the sync is if that is due. @throws SyncOverError */
  async checkpoint(): Promise<void> {
    const isDue = this.#clock.now() - this.#recordedAt >= this.#timing.checkpoint;
    if (isDue || this.#bytes.all >= MOST_WAITING) await this.flush();
  }

  /** Records everything that waits. @throws SyncOverError */
  flush(): Promise<void> {
    const recorded = this.#recording.then(() => this.#record());
    this.#recording = recorded.catch(() => undefined);
    return recorded;
  }

  /** Records that the sync has ended. @throws SyncOverError */
  async end(end: SyncEnd): Promise<void> {
    if (this.#bytes.all > 0) await this.flush();
    this.#accept(await this.#connections.end(this.#connection, this.#running, end));
  }

  #add(add: (last: { items: SyncedItem[]; removed: string[] }) => void, value: unknown): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + 1;
    if (this.#waiting.length === 0 || this.#bytes.event + bytes > EVENT_BYTES) {
      this.#waiting.push({ items: [], removed: [] });
      this.#bytes.event = 0;
    }
    this.#bytes = { event: this.#bytes.event + bytes, all: this.#bytes.all + bytes };
    add(this.#waiting.at(-1) as { items: SyncedItem[]; removed: string[] });
    return this.checkpoint();
  }

  async #record(): Promise<void> {
    this.#recordedAt = this.#clock.now();
    const waiting = this.#waiting;
    [this.#waiting, this.#bytes] = [[], { event: 0, all: 0 }];
    try {
      await this.#recordAll(waiting);
    } catch (error) {
      this.#waiting = [...waiting, ...this.#waiting];
      throw error;
    }
  }

  async #recordAll(waiting: readonly ItemsSynced['payload'][]): Promise<void> {
    await this.start();
    const needsSegment = waiting.length > 0 && this.#segment === null;
    const segment = needsSegment ? this.#connection.segment + 1 : null;
    const { id, found, done, failed, bytes } = this.#running;
    // Before the events: whoever erases the connection has to know of their stream.
    this.#accept(await this.#connections.progress(this.#connection, id, { found, done, failed, bytes }, segment));
    this.#segment ??= segment;
    if (waiting.length === 0 || this.#segment === null) return;
    const events = waiting.map((payload): ItemsSynced => ({ type: 'ItemsSynced', payload }));
    const { isFull } = await this.#connections.recordItems(this.#connection, id, this.#segment, events);
    if (isFull) this.#segment = null;
  }

  #accept(recorded: Awaited<ReturnType<ConnectionRepository['progress']>>): void {
    if (!recorded.ok) throw new SyncOverError(`the sync has ended: ${recorded.error}`);
    this.#connection = recorded.value;
  }
}
