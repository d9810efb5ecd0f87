import type { EventFilter, EventStore, Position, RecordedEvent } from '#event-store';
import { permits, type Scope } from '#kernel';
import { PUBLIC_CATEGORIES } from './public-event.ts';

export const EVENT_FEED = Symbol('EventFeed');

/** The public feed: envelopes of the events of documents, in the order of the log. */
export interface EventFeed {
  readonly storeId: string;
  /** Returns null if the text is not a position of this log up to its present end, which is read from the log. */
  positionOf(text: string): Promise<Position | null>;
  /** Yields the events in the scope after a position (null: the present head), until the signal aborts. */
  follow(
    scope: Scope,
    options: {
      readonly after: Position | null;
      readonly types: EventFilter['types'] | null;
      readonly tag: string | null;
      readonly signal: AbortSignal;
    },
  ): AsyncIterable<RecordedEvent>;
}

export class LogFeed implements EventFeed {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  get storeId(): string {
    return this.#store.storeId;
  }

  async positionOf(text: string): Promise<Position | null> {
    const position = this.#store.parsePosition(text);
    if (position === null) return null;
    const head = await this.#store.head();
    return head !== null && this.#store.compare(position, head) <= 0 ? position : null;
  }

  async *follow(scope: Scope, options: Parameters<EventFeed['follow']>[1]): AsyncIterable<RecordedEvent> {
    const { types, tag, signal } = options;
    const after = options.after ?? (await this.#store.head());
    const filter = { categories: PUBLIC_CATEGORIES, organization: scope.organization, ...(types && { types }) };
    for await (const { events } of this.#store.subscribe({ after, filter, envelopesOnly: true, signal })) {
      for (const event of events) {
        const { tags } = event.envelope;
        if ((tag === null || tags.includes(tag)) && permits(scope, tags)) yield event;
      }
    }
  }
}
