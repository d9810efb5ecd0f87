import { KeptOrphans } from '#features/documents';
import { systemClock } from '#platform/kernel';
import type { Logger } from '#platform/telemetry';
import { createCommandHandler, createFoldCache, type EventStore, type Position } from '#ports/event-store';
import type { WrittenCounts } from '#read-side/projections';

/** Milliseconds. */
const SAY_EVERY_MS = 5_000;

export type ViewsLogger = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Records and logs that views follow from another history of the log, and logs the progress of their rebuild. */
export class ForeignViews {
  readonly #store: EventStore;
  readonly #logger: ViewsLogger;
  /** While they are built: the end of the log when that began. */
  #goal: Position | null = null;
  #begunAt = 0;
  #saidAt = 0;

  constructor(store: EventStore, logger: ViewsLogger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Call it before they are removed: afterwards nothing shows that the log has another history. */
  async found(): Promise<void> {
    const cache = createFoldCache({ characters: 10_000 });
    await new KeptOrphans(createCommandHandler({ store: this.#store, clock: systemClock, cache })).keep();
    this.#logger.warn(
      'the views follow from events that the log does not hold, because it was replaced, for example by an older copy: they ' +
        'are rebuilt from the log. Files of documents that it lacks are kept: see mneme orphans',
    );
    this.#goal = await this.#store.head();
    this.#begunAt = performance.now();
    this.#saidAt = this.#begunAt;
  }

  /** @param written since the start of the rebuild */
  progress(position: Position, { documents }: WrittenCounts): void {
    if (this.#goal === null) return;
    const now = performance.now();
    if (this.#store.compare(position, this.#goal) >= 0) {
      this.#goal = null;
      const seconds = ((now - this.#begunAt) / 1_000).toFixed(1);
      this.#logger.info(`the views are rebuilt: ${documents} documents in ${seconds} s`);
    } else if (now - this.#saidAt >= SAY_EVERY_MS) {
      this.#saidAt = now;
      this.#logger.info(`the views are being rebuilt: ${documents} documents so far`);
    }
  }
}
