import type { EventFeed } from '#application';
import { PUBLIC_CATEGORIES } from '#event-feed';
import type { EventStore, Position, RecordedEvent } from '#event-store';
import type { Caller } from '#kernel';

/** The public events of the log: what happens to documents. */
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

  async *follow(caller: Caller, options: Parameters<EventFeed['follow']>[1]): AsyncIterable<RecordedEvent> {
    const { organization, tags } = caller;
    const { types, tag, signal } = options;
    const after = options.after ?? (await this.#store.head());
    const filter = { categories: PUBLIC_CATEGORIES, organization, ...(types && { types }) };
    for await (const { events } of this.#store.subscribe({ after, filter, envelopesOnly: true, signal })) {
      for (const event of events) {
        const carried = event.envelope.tags;
        if (tag !== null && !carried.includes(tag)) continue;
        if (tags !== 'all' && !carried.some((one) => tags.includes(one))) continue;
        yield event;
      }
    }
  }
}
