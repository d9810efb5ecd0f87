import { LRUCache } from 'lru-cache';

/** Event ids held in memory at the most. */
const HELD_IDS = 100_000;

/** The ids of a stream's events from its first to `revision`; -1: none. */
export interface Known {
  readonly revision: number;
  readonly ids: ReadonlySet<string>;
}

export const NOTHING: Known = { revision: -1, ids: new Set() };

/**
 * Which events stand in a stream, as far as this client saw. The server finds a repeated append only where the expected
 * revision puts it; that an event stands elsewhere already, only its stream can tell.
 */
export class History {
  readonly #known = new LRUCache<string, { revision: number; readonly ids: Set<string> }>({
    maxSize: HELD_IDS,
    sizeCalculation: ({ ids }) => ids.size + 1,
  });

  of(stream: string): Known {
    return this.#known.get(stream) ?? NOTHING;
  }

  /** @param from revision of the first id; what does not follow on what is known is left out */
  add(stream: string, from: number, ids: readonly string[]): void {
    const known = this.#known.get(stream);
    const revision = known?.revision ?? -1;
    if (from > revision + 1 || ids.length === 0) return;
    const all = known?.ids ?? new Set<string>();
    for (const id of ids) all.add(id);
    this.#known.set(stream, { revision: Math.max(revision, from + ids.length - 1), ids: all });
  }
}
