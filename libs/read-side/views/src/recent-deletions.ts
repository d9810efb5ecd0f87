import { setTimeout as pause } from 'node:timers/promises';
import { proxyPort } from '#platform/thread-calls';
import type { Position } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from './port.ts';
import { viewsWait } from './views-wait.ts';

/** Milliseconds. A read that began before the deletion may still return what it found. */
const AT_LEAST_MS = 60_000;
/** Milliseconds. Bounds the wait for views that cannot be written, e.g. on a full disk. */
const AT_MOST_MS = 7 * 24 * 60 * 60_000;

/** Hits of a search that are looked at, at least, for some that are not of deleted documents. */
const MOST_HITS = 1_000;

/** Documents whose deletion the views do not show yet. */
export class RecentDeletions {
  readonly #progress: ViewsProgress;
  readonly #ids = new Set<string>();

  constructor(progress: ViewsProgress) {
    this.#progress = progress;
  }

  /** Hides the document for as long as the views may show it. */
  hide(id: string, position: Position | null): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    void this.#forget(id, position);
  }

  /** Resolves when the views have caught up, or after `waitMs`, or less in a request that has waited before. */
  async shown(position: Position | null, waitMs: number): Promise<void> {
    await this.#progress.reached(position, viewsWait(waitMs));
  }

  async #forget(id: string, position: Position | null): Promise<void> {
    await pause(AT_LEAST_MS, undefined, { ref: false });
    await this.#progress.reached(position, AT_MOST_MS);
    this.#ids.delete(id);
  }

  /** Leaves out deleted documents; free of cost while there are none. */
  visible<T>(found: readonly T[], idOf: (one: T) => string): readonly T[] {
    return this.#ids.size === 0 ? found : found.filter((one) => !this.#ids.has(idOf(one)));
  }
}

interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Methods whose answers pass unchanged: they show no document to a caller. */
const PASSED_ON = {
  ...{ checkpoint: true, vectorSpace: true, termFrequencies: true, tags: true, totals: true, countTypes: true },
  ...{ languages: true, heldSpaces: true, leftOut: true, close: true },
  // For the pipeline, which asks the log before it records anything.
  ...{ unfinished: true, countUnfinished: true, withoutVectors: true, withoutSummary: true },
  ...{ countWithoutSummary: true, expired: true },
} as const satisfies Partial<Record<keyof ViewsReader, true>>;

type PassedOn = keyof typeof PASSED_ON;

/** Returns the views without deleted documents, however far behind the log they are. */
export function withoutDeleted(reader: ViewsReader, deletions: RecentDeletions): ViewsReader {
  const ofRow = ({ id }: { readonly id: string }) => id;
  // The name of a document's stream ends in its id.
  const ofStream = ({ stream }: { readonly stream: string }) => stream.slice(stream.lastIndexOf('_') + 1);
  const visiblePage = <T>({ rows, total }: Page<T>, idOf: (row: T) => string): Page<T> => {
    const left = deletions.visible(rows, idOf);
    return { rows: left, total: total - (rows.length - left.length) };
  };
  const ofHit = ({ document }: { readonly document: { readonly id: string } }) => document.id;
  const visible: Omit<ViewsReader, PassedOn> = {
    documents: async (scope, ids) => deletions.visible(await reader.documents(scope, ids), ofRow),
    list: async (query) => visiblePage(await reader.list(query), ofRow),
    addedAs: async (...wanted) => deletions.visible(await reader.addedAs(...wanted), ofRow),
    rows: async (query) => {
      const found = await reader.rows(query);
      return query.ofDeleted ? found : visiblePage(found, ofStream);
    },
    search: async (query) => {
      // Passages of what was just deleted may be better than all others, so more are looked at until enough are left.
      for (let limit = query.limit; ; limit *= 4) {
        const hits = await reader.search({ ...query, limit });
        const left = deletions.visible(hits, ofHit);
        if (left.length >= query.limit || hits.length < limit || limit >= MOST_HITS) return left.slice(0, query.limit);
      }
    },
    units: async (scope, wanted) =>
      deletions.visible(await reader.units(scope, wanted), ({ documentId }) => documentId),
    unitsOf: async (scope, wanted) =>
      deletions.visible(await reader.unitsOf(scope, wanted), ({ documentId }) => documentId),
    passages: async (scope, wanted) => deletions.visible(await reader.passages(scope, wanted), ofHit),
    chunks: async (scope, named) =>
      deletions.visible(await reader.chunks(scope, named), ({ documentId }) => documentId),
    memories: async (query) => {
      const { memories, total } = await reader.memories(query);
      const { rows, total: left } = visiblePage({ rows: memories, total }, ofHit);
      return { memories: rows, total: left };
    },
    newestMemories: async (query, limit) => deletions.visible(await reader.newestMemories(query, limit), ofHit),
  };
  return { ...proxyPort<Pick<ViewsReader, PassedOn>>(PASSED_ON, (call) => call(reader)), ...visible };
}
