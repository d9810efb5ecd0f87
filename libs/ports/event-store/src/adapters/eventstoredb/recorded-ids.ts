import { LRUCache } from 'lru-cache';

/** Limit of the event ids in memory. */
const MAX_IDS = 100_000;

/** The ids of the events of a stream from the first one to `revision`; -1: no events. */
export interface StreamIds {
  readonly revision: number;
  readonly ids: ReadonlySet<string>;
}

export const NO_EVENTS: StreamIds = { revision: -1, ids: new Set() };

/**
 * Event ids of recently used streams, as far as this client has read or written them. The server recognizes a repeated
 * append only at the expected revision, so ids at other revisions are compared here.
 */
export class RecordedIds {
  readonly #streams = new LRUCache<string, { revision: number; readonly ids: Set<string> }>({
    maxSize: MAX_IDS,
    sizeCalculation: ({ ids }) => ids.size + 1,
  });

  of(stream: string): StreamIds {
    return this.#streams.get(stream) ?? NO_EVENTS;
  }

  /** Adds ids, the first one at revision `from`. Skips them if they would leave a gap. */
  add(stream: string, from: number, ids: readonly string[]): void {
    const recorded = this.#streams.get(stream);
    const revision = recorded?.revision ?? -1;
    if (from > revision + 1 || ids.length === 0) return;
    const all = recorded?.ids ?? new Set<string>();
    for (const id of ids) all.add(id);
    this.#streams.set(stream, { revision: Math.max(revision, from + ids.length - 1), ids: all });
  }
}
