import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { permits, type Scope } from '#platform/kernel';
import type { EventFilter, EventStore, Position, RecordedEvent } from '#ports/event-store';
import { LogTail } from './log-tail.ts';
import { positionInLog } from './position-in-log.ts';
import { PUBLIC_CATEGORIES } from './public-event.ts';

export const EVENT_FEED = Symbol('EventFeed');

/** Events of one page of the past. */
const PAGE = 500;
/** Pause after a read that found nothing new, although others have got further. Milliseconds. */
const BEHIND_MS = 20;

export interface FollowOptions {
  /** Null: the present head. */
  readonly after: Position | null;
  readonly types: EventFilter['types'] | null;
  readonly tag: string | null;
  readonly signal: AbortSignal;
}

/** Events that follow each other. Followers with the same scope and options get the same arrays of new events. */
export interface FeedBatch {
  readonly events: readonly RecordedEvent[];
  /** Read from the log for this follower alone; the next page is read when this one is taken. New events do not wait. */
  readonly isPast: boolean;
}

/** The public feed: envelopes of the events of documents, in the order of the log. */
export interface EventFeed {
  readonly storeId: string;
  /** Returns null if the text is not the position of an event that this log holds. */
  positionOf(text: string): Promise<Position | null>;
  /** Yields the events in the scope after a position, in batches that are not empty, until the signal aborts. */
  follow(scope: Scope, options: FollowOptions): AsyncIterable<FeedBatch>;
}

/** All followers share one reader of new events; what is past is read for one follower at a time. */
export class LogFeed implements EventFeed {
  readonly #store: EventStore;
  readonly #tail: LogTail;
  readonly #pages = pLimit(1);

  constructor(store: EventStore) {
    this.#store = store;
    this.#tail = new LogTail(store);
  }

  get storeId(): string {
    return this.#store.storeId;
  }

  positionOf(text: string): Promise<Position | null> {
    return positionInLog(this.#store, text);
  }

  async *follow(scope: Scope, { after, types, tag, signal }: FollowOptions): AsyncIterable<FeedBatch> {
    const filter = { categories: PUBLIC_CATEGORIES, organization: scope.organization, ...(types && { types }) };
    const isVisible = ({ envelope }: RecordedEvent): boolean =>
      envelope.organization === scope.organization &&
      (types?.includes(envelope.type) ?? true) &&
      (tag === null || envelope.tags.includes(tag)) &&
      permits(scope, envelope.tags);

    let position = after ?? (await this.#store.head());
    await using tail = await this.#tail.use();
    // The look at the tail and the first wait for its events are one step, so that no event is between them.
    while (!signal.aborted && !tail.hasNotPassed(position)) {
      const from = position;
      const page = await this.#pages(() =>
        this.#store.readAll({ after: from, limit: PAGE, filter, envelopesOnly: true }),
      );
      position = page.position ?? from;
      const events = page.events.filter(isVisible);
      if (events.length > 0) yield { events, isPast: true };
      else if (page.end) await pause(BEHIND_MS);
    }
    const key = JSON.stringify([scope.organization, scope.tags, types, tag]);
    for await (const events of tail.follow({ after: position, key, isVisible, signal }))
      yield { events, isPast: false };
  }
}
