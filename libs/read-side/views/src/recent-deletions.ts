import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '#platform/kernel';
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
  readonly #keys = new Set<string>();

  constructor(progress: ViewsProgress) {
    this.#progress = progress;
  }

  /** Hides the document for as long as the views may show it. */
  hide(document: { readonly organization: string; readonly id: string }, position: Position | null): void {
    const key = keyOf(document.organization, document.id);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    void this.#forget(key, position);
  }

  /** Resolves when the views have caught up, or after `waitMs`, or less in a request that has waited before. */
  async shown(position: Position | null, waitMs: number): Promise<void> {
    await this.#progress.reached(position, viewsWait(waitMs));
  }

  async #forget(key: string, position: Position | null): Promise<void> {
    await pause(AT_LEAST_MS, undefined, { ref: false });
    await this.#progress.reached(position, AT_MOST_MS);
    this.#keys.delete(key);
  }

  /** Leaves out deleted documents; free of cost while there are none. */
  visible<T>(
    { organization }: Pick<Scope, 'organization'>,
    found: readonly T[],
    idOf: (one: T) => string,
  ): readonly T[] {
    return this.#keys.size === 0 ? found : found.filter((one) => !this.#keys.has(keyOf(organization, idOf(one))));
  }
}

const keyOf = (organization: string, id: string): string => `${organization} ${id}`;

interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Methods whose answers pass unchanged: they show no document to a caller. */
const PASSED_ON = {
  ...{ checkpoint: true, vectorSpace: true, termFrequencies: true, tags: true, totals: true, stored: true },
  ...{ countTypes: true },
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
  const visiblePage = <T>(scope: Scope, { rows, total }: Page<T>, idOf: (row: T) => string): Page<T> => {
    const left = deletions.visible(scope, rows, idOf);
    return { rows: left, total: total - (rows.length - left.length) };
  };
  const ofHit = ({ document }: { readonly document: { readonly id: string } }) => document.id;
  const visible: Omit<ViewsReader, PassedOn> = {
    documents: async (scope, ids) => deletions.visible(scope, await reader.documents(scope, ids), ofRow),
    list: async (query) => visiblePage(query.scope, await reader.list(query), ofRow),
    addedAs: async (scope, ...wanted) => deletions.visible(scope, await reader.addedAs(scope, ...wanted), ofRow),
    rows: async (query) => {
      const found = await reader.rows(query);
      return query.ofDeleted ? found : visiblePage(query.scope, found, ofStream);
    },
    search: async (query) => {
      // Passages of what was just deleted may be better than all others, so more are looked at until enough are left.
      for (let limit = query.limit; ; limit *= 4) {
        const hits = await reader.search({ ...query, limit });
        const left = deletions.visible(query.scope, hits, ofHit);
        if (left.length >= query.limit || hits.length < limit || limit >= MOST_HITS) return left.slice(0, query.limit);
      }
    },
    units: async (scope, wanted) =>
      deletions.visible(scope, await reader.units(scope, wanted), ({ documentId }) => documentId),
    unitsOf: async (scope, wanted) =>
      deletions.visible(scope, await reader.unitsOf(scope, wanted), ({ documentId }) => documentId),
    passages: async (scope, wanted) => deletions.visible(scope, await reader.passages(scope, wanted), ofHit),
    chunks: async (scope, named) =>
      deletions.visible(scope, await reader.chunks(scope, named), ({ documentId }) => documentId),
    memories: async (query) => {
      const { memories, total } = await reader.memories(query);
      const { rows, total: left } = visiblePage(query.scope, { rows: memories, total }, ofHit);
      return { memories: rows, total: left };
    },
    newestMemories: async (query, limit) =>
      deletions.visible(query.scope, await reader.newestMemories(query, limit), ofHit),
  };
  return { ...proxyPort<Pick<ViewsReader, PassedOn>>(PASSED_ON, (call) => call(reader)), ...visible };
}
