import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '#event-store';
import { proxyPort } from '#threads';
import { VIEWS_READER, type ViewsReader } from '#views';
import type { ViewsProgress } from '../ports.ts';

/** In any case: views that were made anew may take over a little behind those before them. */
const AT_LEAST_MS = 60_000;
/** For views that cannot be written at all, e.g. on a full disk. */
const AT_MOST_MS = 7 * 24 * 60 * 60_000;

/** Documents whose deletion the views do not show yet. */
export class RecentDeletions {
  readonly #progress: ViewsProgress;
  readonly #ids = new Set<string>();

  constructor(progress: ViewsProgress) {
    this.#progress = progress;
  }

  /** From now on the document is hidden, for as long as the views may show it. */
  hide(id: string, position: Position | null): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    void this.#forget(id, position);
  }

  /** Resolves when the views have caught up, or after `waitMs`. */
  async shown(position: Position | null, waitMs: number): Promise<void> {
    await this.#progress.reached(position, waitMs);
  }

  async #forget(id: string, position: Position | null): Promise<void> {
    await pause(AT_LEAST_MS, undefined, { ref: false });
    await this.#progress.reached(position, AT_MOST_MS);
    this.#ids.delete(id);
  }

  /** Leaves out what is deleted; costs nothing while there is nothing to leave out. */
  visible<T>(found: readonly T[], idOf: (one: T) => string): readonly T[] {
    return this.#ids.size === 0 ? found : found.filter((one) => !this.#ids.has(idOf(one)));
  }
}

/** The views as everybody sees them: what was deleted is gone at once, however far behind the views are. */
export function withoutDeleted(reader: ViewsReader, deletions: RecentDeletions): ViewsReader {
  const ofRow = ({ id }: { readonly id: string }) => id;
  const ofHit = ({ document }: { readonly document: { readonly id: string } }) => document.id;
  return {
    ...proxyPort<ViewsReader>(VIEWS_READER, (call) => call(reader)),
    documents: async (scope, ids) => deletions.visible(await reader.documents(scope, ids), ofRow),
    list: async (query) => {
      const { rows, total } = await reader.list(query);
      const visible = deletions.visible(rows, ofRow);
      return { rows: visible, total: total - (rows.length - visible.length) };
    },
    search: async (query) => deletions.visible(await reader.search(query), ofHit),
    units: async (scope, wanted) =>
      deletions.visible(await reader.units(scope, wanted), ({ documentId }) => documentId),
    newestMemories: async (query, limit) => deletions.visible(await reader.newestMemories(query, limit), ofHit),
  };
}
