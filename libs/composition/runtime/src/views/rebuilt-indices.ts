import { newId } from '#platform/kernel';
import {
  type OpenSearchReader,
  openOpenSearchReader,
  rebuildPrefix,
  removeOpenSearchViews,
  type ViewsProgress,
} from '#read-side/views';
import { PolledProgress } from '../progress/polled.ts';
import { indexLayout } from '../settings.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ProjectionThread } from './projection-thread.ts';
import type { RebuildOptions } from './views.ts';

const WAIT_MS = 1_000;

export interface RebuiltIndicesOptions extends Pick<RebuildOptions, 'onProgress'> {
  readonly url: string;
  /** Names this process in messages. */
  readonly holder: string;
  readonly space: string;
  readonly logger: { error(message: string, cause?: unknown): void };
}

/** Views that are built from the log under a prefix of their own, and follow it until they are closed. */
export class RebuiltIndices {
  readonly prefix: string;
  readonly reader: OpenSearchReader;
  readonly #url: string;
  readonly #store: Storage['store'];
  readonly #progress: PolledProgress;
  readonly #projection: ProjectionThread;
  #open = true;

  /** Starts to build them. */
  static async start(storage: Storage, options: RebuiltIndicesOptions): Promise<RebuiltIndices> {
    const { url, holder, space, onProgress, logger } = options;
    const prefix = rebuildPrefix(storage.settings.prefix, newId().toLowerCase());
    const reader = await openOpenSearchReader({ url, prefix });
    const projection = await ProjectionThread.open(
      storage,
      { kind: 'opensearch', url, prefix, fencingToken: 0, holder, space, ...indexLayout(storage.settings) },
      {
        progress: (_position, written) => onProgress(written),
        fault: (error) => logger.error(`the new views could not follow the log and try again: ${String(error)}`, error),
      },
    );
    await projection.start();
    return new RebuiltIndices(url, storage.store, reader, projection, prefix);
  }

  private constructor(
    url: string,
    store: Storage['store'],
    reader: OpenSearchReader,
    projection: ProjectionThread,
    prefix: string,
  ) {
    this.prefix = prefix;
    this.reader = reader;
    this.#url = url;
    this.#store = store;
    this.#projection = projection;
    this.#progress = new PolledProgress({
      compare: (a, b) => store.compare(a, b),
      ask: () => reader.progress(),
    });
  }

  /**
   * Resolves with true when they, and the others, hold everything that is in the log by now, or with false when the signal
   * has aborted.
   * @throws Error if their projection has ended
   */
  async level(signal: AbortSignal, ...others: readonly ViewsProgress[]): Promise<boolean> {
    const head = await this.#store.head();
    for (const views of [this.#progress, ...others]) {
      while (!signal.aborted && !(await Promise.race([views.reached(head, WAIT_MS, 'all'), this.#projection.ended])));
    }
    return !signal.aborted;
  }

  /** Ends after the batch that is being written. May be called again. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#progress.close();
    await this.#projection.close();
    await this.reader.close();
  }

  /** Closes them and deletes the indices, unless others serve under their aliases. */
  async discard(): Promise<void> {
    await this.close();
    await removeOpenSearchViews({ url: this.#url, prefix: this.prefix });
  }
}
