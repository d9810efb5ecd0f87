import { renameSync } from 'node:fs';
import type { Lease } from '#leases';
import { removeViews, type ViewsReader } from '#views';
import { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { servingSpace } from '../vector-space.ts';
import { ProjectionThread } from './projection-thread.ts';
import { startSearchThread } from './search-thread.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

export interface EmbeddedViewsOptions {
  readonly logger: { error(message: string): void };
}

/** The views in two threads of their own: one writes them as the log grows, one reads them. */
export class EmbeddedViews implements OpenViews {
  readonly reader: ViewsReader;
  readonly progress: ReportedProgress;
  readonly #storage: Storage;
  readonly #logger: EmbeddedViewsOptions['logger'];
  #projection: ProjectionThread;
  /** A promise, so that questions wait for the moment in which one reader follows another. */
  #search: Promise<ViewsReader>;
  #following = false;
  #rebuilding = false;
  #lost = false;

  /** Opens the views; they follow the log from `follow` on. */
  static async open(storage: Storage, options: EmbeddedViewsOptions): Promise<EmbeddedViews> {
    removeViews(rebuiltPath(storage));
    const progress = new ReportedProgress((a, b) => storage.store.compare(a, b), null);
    const projection = await openProjection(storage, progress, options.logger);
    return new EmbeddedViews(storage, options, progress, projection);
  }

  private constructor(
    storage: Storage,
    { logger }: EmbeddedViewsOptions,
    progress: ReportedProgress,
    projection: ProjectionThread,
  ) {
    this.#storage = storage;
    this.#logger = logger;
    this.#projection = projection;
    this.#search = Promise.resolve(this.#startSearch());
    this.progress = progress;
    this.reader = {
      checkpoint: async () => (await this.#search).checkpoint(),
      vectorSpace: async () => (await this.#search).vectorSpace(),
      documents: async (...args) => (await this.#search).documents(...args),
      list: async (...args) => (await this.#search).list(...args),
      search: async (...args) => (await this.#search).search(...args),
      units: async (...args) => (await this.#search).units(...args),
      newestMemories: async (...args) => (await this.#search).newestMemories(...args),
      unfinished: async (...args) => (await this.#search).unfinished(...args),
      countUnfinished: async () => (await this.#search).countUnfinished(),
      withoutVectors: async (...args) => (await this.#search).withoutVectors(...args),
      close: async () => (await this.#search).close(),
    };
  }

  /** They were made when they were opened. */
  async made(): Promise<void> {}

  /**
   * Resolves when the signal aborts; the views end with `close`.
   * @throws Error when the projection has ended by itself; the next call begins another one
   */
  async follow({ signal }: Lease): Promise<void> {
    this.#following = true;
    if (this.#lost) this.#projection = await openProjection(this.#storage, this.progress, this.#logger);
    this.#lost = false;
    await this.#projection.start();
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const projection = this.#projection;
      const fault = await Promise.race([stopped, projection.ended.catch((error: Error) => error)]);
      // One that makes way for another has not been lost.
      await this.#search;
      if (signal.aborted || this.#projection !== projection) continue;
      this.#lost = true;
      throw fault;
    }
  }

  /**
   * In a second file, which takes the place of the first.
   * @throws RebuildRunningError
   */
  async rebuild(options: RebuildOptions): Promise<boolean> {
    if (this.#rebuilding) throw new RebuildRunningError('The views are being rebuilt already');
    this.#rebuilding = true;
    try {
      return await this.#rebuild(options);
    } finally {
      this.#rebuilding = false;
    }
  }

  async close(): Promise<void> {
    this.progress.close();
    await this.#projection.close();
    await this.reader.close();
  }

  async #rebuild({ space, onProgress, inspect, signal }: RebuildOptions): Promise<boolean> {
    const { store } = this.#storage;
    const path = rebuiltPath(this.#storage);
    removeViews(path);
    const head = await store.head();
    const progress = new ReportedProgress((a, b) => store.compare(a, b), null);
    const projection = await ProjectionThread.open(
      this.#storage,
      { kind: 'file', path, space: space ?? (await servingSpace(store)) },
      {
        progress: (position, written) => {
          progress.report(position);
          onProgress(written);
        },
        fault: (message) => this.#logger.error(`the new views could not follow the log and try again: ${message}`),
      },
    );
    let wanted = false;
    try {
      await projection.start();
      while (!signal.aborted && !(await progress.reached(head, 1_000)));
      const level = async () => {
        const now = await store.head();
        while (!signal.aborted && !(await progress.reached(now, 1_000)));
        while (!signal.aborted && !(await this.progress.reached(now, 1_000)));
      };
      wanted = !signal.aborted && (inspect === undefined || (await this.#inspected(inspect, path, level)));
    } finally {
      await projection.close();
      if (!wanted) removeViews(path);
    }
    if (wanted) await this.#switchTo(path);
    return wanted;
  }

  async #inspected(
    inspect: NonNullable<RebuildOptions['inspect']>,
    path: string,
    level: () => Promise<void>,
  ): Promise<boolean> {
    const rebuilt = startSearchThread({ path, cacheBytes: this.#storage.settings.cacheBytes });
    try {
      return await inspect({ serving: this.reader, rebuilt, level });
    } finally {
      await rebuilt.close();
    }
  }

  /** Everything that has the old file open is closed first: a log beside it belongs to the file of its name. */
  async #switchTo(path: string): Promise<void> {
    const old = await this.#search;
    const moved = Promise.all([old.close(), this.#projection.close()]).then(() => {
      removeViews(this.#storage.files.views);
      renameSync(path, this.#storage.files.views);
    });
    // Questions are answered again in any case: views that are gone come back from the log.
    this.#search = moved.catch(() => {}).then(() => this.#reopen());
    await this.#search;
    await moved;
  }

  async #reopen(): Promise<ViewsReader> {
    this.#projection = await openProjection(this.#storage, this.progress, this.#logger);
    if (this.#following) await this.#projection.start();
    return this.#startSearch();
  }

  #startSearch(): ViewsReader {
    const { files, settings } = this.#storage;
    return startSearchThread({ path: files.views, cacheBytes: settings.cacheBytes });
  }
}

/** Two rebuilds at once would write the same file. */
export class RebuildRunningError extends Error {
  override readonly name = 'RebuildRunningError';
}

const rebuiltPath = ({ files }: Storage): string => `${files.views}-rebuilt`;

async function openProjection(
  storage: Storage,
  progress: ReportedProgress,
  logger: EmbeddedViewsOptions['logger'],
): Promise<ProjectionThread> {
  const projection = await ProjectionThread.open(
    storage,
    { kind: 'file', path: storage.files.views, space: await servingSpace(storage.store) },
    {
      progress: (position) => progress.report(position),
      fault: (message) => logger.error(`the views could not follow the log and try again: ${message}`),
    },
  );
  progress.report(projection.checkpoint);
  return projection;
}
