import type { EventFilter, EventStore, Position, RecordedEvent } from '#event-store';
import { permits, type Scope } from '#kernel';
import { PUBLIC_CATEGORIES } from './public-event.ts';

export const EVENT_FEED = Symbol('EventFeed');

/** The public feed: envelopes of what happens to documents, in the order of the log. */
export interface EventFeed {
  readonly storeId: string;
  /** @returns null if the text is no position of this log */
  parsePosition(text: string): Position | null;
  /** Everything in the scope after a position (null: from now on), until the signal aborts. */
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

  parsePosition(text: string): Position | null {
    return this.#store.parsePosition(text);
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
