import type { EventStore } from '#event-store';
import type { ViewsProgress, ViewsReader } from './port.ts';

/** How long a read waits for the views to show what was written before it. Milliseconds. */
const OWN_WRITES_MS = 1_000;

/** Views that show everything that was written before they were asked. */
export class CurrentViews {
  readonly #reader: ViewsReader;
  readonly #progress: ViewsProgress;
  readonly #store: Pick<EventStore, 'head'>;

  constructor(reader: ViewsReader, progress: ViewsProgress, store: Pick<EventStore, 'head'>) {
    this.#reader = reader;
    this.#progress = progress;
    this.#store = store;
  }

  /** Resolves when the views have caught up, or after a second without it. */
  async read(): Promise<ViewsReader> {
    await this.#progress.reached(await this.#store.head(), OWN_WRITES_MS);
    return this.#reader;
  }
}
