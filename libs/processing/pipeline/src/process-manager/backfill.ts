import type { GroupEmbedder } from '#features/vector-spaces';
import type { EventStore } from '#ports/event-store';
import type { UnfinishedDocument, ViewsProgress, ViewsReader } from '#read-side/views';
import { isBackfill } from '../next-stage.ts';
import type { Resources } from '../resources.ts';
import { STAGES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import type { TaskTable } from './task-table.ts';

const PAGE = 1_000;
const VIEWS_WAIT_MS = 60_000;
/** The next page is fetched when fewer than this many documents wait. */
const FEW = 64;
/** Sweeps after a change of a resource that list once more: another process may have heard of it later than this one. */
const SWEEPS_AFTER_CHANGE = 2;

export interface BackfillOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'withoutVectors' | 'withoutSummary'>;
  readonly progress: ViewsProgress;
  readonly embedder: Pick<GroupEmbedder, 'status'>;
  readonly resources: Resources;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
  readonly tasks: Pick<TaskTable, 'backfills' | 'beginList' | 'endList'>;
  readonly onPage: (stage: Stage, page: readonly UnfinishedDocument[]) => void;
}

interface Listing {
  after: UnfinishedDocument | null | 'end';
  sweepsLeft: number;
}

/** Lists the documents that are done and lack the result of a stage, for every stage that can be a backfill. */
export class Backfill {
  readonly #options: BackfillOptions;
  readonly #listings = new Map<Stage, Listing>();
  #isFetching = false;

  constructor(options: BackfillOptions) {
    this.#options = options;
    for (const stage of STAGES) if (isBackfill(stage)) this.#listings.set(stage, { after: null, sweepsLeft: 0 });
  }

  /** Lists from the beginning: a resource has changed. */
  restart(): void {
    for (const [stage, listing] of this.#listings) {
      if (!this.#isAvailable(stage)) continue;
      listing.after = null;
      listing.sweepsLeft = SWEEPS_AFTER_CHANGE;
    }
    this.fetch();
  }

  /** Lists the documents of a stage once more with the next sweep. */
  repeat(stage: Stage): void {
    const listing = this.#listings.get(stage);
    if (listing !== undefined) listing.sweepsLeft = Math.max(listing.sweepsLeft, 1);
  }

  /** Called by each sweep. */
  swept(): void {
    for (const listing of this.#listings.values()) {
      if (listing.after !== 'end' || listing.sweepsLeft === 0) continue;
      listing.sweepsLeft -= 1;
      listing.after = null;
    }
    this.fetch();
  }

  /** Fetches a page if few documents wait. */
  fetch(): void {
    const { tasks, logger, signal, onPage } = this.#options;
    const next = [...this.#listings].find(([stage, { after }]) => after !== 'end' && this.#isAvailable(stage));
    if (next === undefined || this.#isFetching || signal.aborted || tasks.backfills >= FEW) return;
    const [stage, listing] = next;
    this.#isFetching = true;
    tasks.beginList();
    this.#page(stage, listing)
      .then((page) => onPage(stage, page))
      .catch((error) => logger.warn(`Documents without ${stage.status} could not be listed: ${String(error)}`, error))
      .finally(() => {
        tasks.endList();
        this.#isFetching = false;
      });
  }

  async #page(stage: Stage, listing: Listing): Promise<readonly UnfinishedDocument[]> {
    const { store, progress, views, embedder } = this.#options;
    // Documents that became done just now must not be missing from the page.
    if (!(await progress.reached(await store.head(), VIEWS_WAIT_MS))) return [];
    const after = listing.after === 'end' ? null : listing.after;
    const page = (await stage.backlog?.({ views, embedder }, { after, limit: PAGE })) ?? [];
    listing.after = page.at(-1) ?? 'end';
    return page;
  }

  #isAvailable({ needs }: Stage): boolean {
    return needs === null || this.#options.resources.isAvailable(needs);
  }
}
