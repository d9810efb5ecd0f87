import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { EventStore, Position, RecordedEvent } from '#ports/event-store';
import { PUBLIC_CATEGORIES } from './public-event.ts';

/** With many followers, new events are gathered for this long, because each batch costs a write for every follower. */
const MAX_GATHER_MS = 200;
const GATHER_MS_PER_FOLLOWER = 0.2;
/** Followers that get a batch before other work has its turn. */
const AT_ONCE = 50;

type Events = readonly RecordedEvent[];

interface TailFollower {
  readonly after: Position | null;
  /** Followers with the same key see the same events. */
  readonly key: string;
  readonly isVisible: (event: RecordedEvent) => boolean;
  readonly signal: AbortSignal;
}

/** A user of the tail, which runs while there is one. */
export interface TailUse extends AsyncDisposable {
  /** Whether no event after the position has been passed on to followers. */
  hasNotPassed(position: Position | null): boolean;
  /**
   * Yields the events after a position that has not been passed, in batches that are not empty, until the signal aborts.
   * @throws the error that has ended the reader
   */
  follow(follower: TailFollower): AsyncIterable<Events>;
}

/** The one reader of new events in the log, for any number of followers. */
export class LogTail {
  readonly #store: EventStore;
  #users = 0;
  #running: Promise<RunningTail> | null = null;

  constructor(store: EventStore) {
    this.#store = store;
  }

  async use(): Promise<TailUse> {
    this.#users += 1;
    const leave = async (): Promise<void> => {
      this.#users -= 1;
      if (this.#users > 0) return;
      const running = this.#running;
      this.#running = null;
      (await running?.catch(() => null))?.stop();
    };
    this.#running ??= this.#start();
    try {
      const tail = await this.#running;
      return {
        hasNotPassed: (position) => tail.hasNotPassed(position),
        follow: (follower) => tail.follow(follower),
        [Symbol.asyncDispose]: leave,
      };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  #start(): Promise<RunningTail> {
    const starting: Promise<RunningTail> = RunningTail.start(this.#store, () => {
      if (this.#running === starting) this.#running = null;
    });
    return starting;
  }
}

/** The batches that a follower has not taken yet. */
class Inbox {
  readonly follower: TailFollower;
  readonly batches: Events[] = [];
  wake: () => void = () => {};
  /** Events up to here are not for the follower. Null: all that follow are. */
  after: Position | null;

  constructor(follower: TailFollower) {
    this.follower = follower;
    this.after = follower.after;
  }

  put(events: Events): void {
    if (events.length > 0) this.batches.push(events);
    this.wake();
  }
}

class RunningTail {
  readonly #store: EventStore;
  readonly #controller = new AbortController();
  readonly #inboxes = new Set<Inbox>();
  readonly #ended: () => void;
  /** Of the last event that was passed on. */
  #position: Position | null;
  #error: unknown = null;
  #gathered: RecordedEvent[] = [];
  #passing = false;

  static async start(store: EventStore, ended: () => void): Promise<RunningTail> {
    const tail = new RunningTail(store, await store.head(), ended);
    void tail.#run();
    return tail;
  }

  private constructor(store: EventStore, position: Position | null, ended: () => void) {
    this.#store = store;
    this.#position = position;
    this.#ended = ended;
  }

  stop(): void {
    this.#controller.abort();
  }

  hasNotPassed(position: Position | null): boolean {
    return this.#position === null || (position !== null && this.#store.compare(this.#position, position) <= 0);
  }

  async *follow(follower: TailFollower): AsyncGenerator<Events> {
    const { signal } = follower;
    const inbox = new Inbox(follower);
    const wake = () => inbox.wake();
    this.#inboxes.add(inbox);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const events = inbox.batches.shift();
        if (events !== undefined) yield events;
        else if (this.#error !== null) throw this.#error;
        else {
          await new Promise<void>((resolve) => {
            inbox.wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#inboxes.delete(inbox);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller;
    const filter = { categories: PUBLIC_CATEGORIES };
    try {
      const slices = this.#store.subscribe({ after: this.#position, filter, envelopesOnly: true, signal });
      for await (const { events } of slices) {
        this.#gathered.push(...events);
        if (!this.#passing) void this.#pass();
      }
    } catch (error) {
      this.#error = error;
    }
    this.#error ??= new Error('the reader of the log has ended');
    this.#ended();
    for (const inbox of this.#inboxes) inbox.wake();
  }

  /** Passes on what is gathered, until nothing is left. */
  async #pass(): Promise<void> {
    this.#passing = true;
    while (this.#gathered.length > 0) {
      const delay = Math.min(MAX_GATHER_MS, Math.floor(this.#inboxes.size * GATHER_MS_PER_FOLLOWER));
      if (delay > 0) await pause(delay, null, { ref: false });
      const events = this.#gathered;
      this.#gathered = [];
      this.#position = (events.at(-1) as RecordedEvent).position;
      await this.#passOn(events);
    }
    this.#passing = false;
  }

  async #passOn(events: Events): Promise<void> {
    const visible = new Map<string, Events>();
    let passed = 0;
    for (const inbox of [...this.#inboxes]) {
      const { after } = inbox;
      const { key, isVisible } = inbox.follower;
      let own = visible.get(key);
      if (own === undefined) {
        own = events.filter(isVisible);
        visible.set(key, own);
      }
      if (after !== null) {
        const isLater = ({ position }: RecordedEvent) => this.#store.compare(position, after) > 0;
        own = own.filter(isLater);
        if (isLater(events.at(-1) as RecordedEvent)) inbox.after = null;
      }
      inbox.put(own);
      passed += 1;
      if (passed % AT_ONCE === 0) await setImmediate();
    }
  }
}
