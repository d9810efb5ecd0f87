import type { Worker } from 'node:worker_threads';
import type { Position, SqliteEventStore } from '#event-store';
import { connect, type Remote, startWorker } from '#threads';
import type { ViewsReader } from '#views';
import type { DataFiles } from './files.ts';
import { ReportedProgress } from './progress.ts';
import type { ProjectionThread, ProjectionThreadData } from './projection.worker.ts';
import type { SearchThreadData } from './search.worker.ts';

export interface EmbeddedViewsOptions {
  readonly store: SqliteEventStore;
  readonly files: DataFiles;
  readonly cacheBytes: number;
  readonly logger: { error(message: string): void };
}

/** The views in two threads of their own: one writes them as the log grows, one reads them. */
export class EmbeddedViews {
  readonly reader: ViewsReader;
  readonly progress: ReportedProgress;
  readonly #projection: Remote<ProjectionThread>;
  readonly #threads: readonly Worker[];

  /** Opens the views; they follow the log from `start` on. */
  static async open(options: EmbeddedViewsOptions): Promise<EmbeddedViews> {
    const { store, files, cacheBytes, logger } = options;
    const port = await store.newClientPort();
    const projectionData: ProjectionThreadData = { files, store: port };
    const projectionThread = startWorker(new URL('./projection.worker.ts', import.meta.url), projectionData, {
      transfer: [port],
      // A rebuild makes much that lives just until its batch is written.
      resourceLimits: { maxYoungGenerationSizeMb: 160 },
    });
    const projection = connect<ProjectionThread>(projectionThread);
    const progress = new ReportedProgress((a, b) => store.compare(a, b), await projection.call('open'));
    projection.onNotice((topic, value) => {
      if (topic === 'progress') progress.report(value as Position);
      else logger.error(`the views could not follow the log and try again: ${String(value)}`);
    });
    const searchData: SearchThreadData = { path: files.views, cacheBytes };
    const searchThread = startWorker(new URL('./search.worker.ts', import.meta.url), searchData, {
      // What was read for one question is of no use to the next; collected often, it takes little room.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    });
    return new EmbeddedViews(projection, progress, connect<ViewsReader>(searchThread), [
      projectionThread,
      searchThread,
    ]);
  }

  private constructor(
    projection: Remote<ProjectionThread>,
    progress: ReportedProgress,
    search: Remote<ViewsReader>,
    threads: readonly Worker[],
  ) {
    this.#projection = projection;
    this.#threads = threads;
    this.progress = progress;
    this.reader = {
      checkpoint: () => search.call('checkpoint'),
      documents: (scope, ids) => search.call('documents', scope, ids),
      list: (query) => search.call('list', query),
      search: (query) => search.call('search', query),
      units: (scope, wanted) => search.call('units', scope, wanted),
      newestMemories: (query, limit) => search.call('newestMemories', query, limit),
      unfinished: (page) => search.call('unfinished', page),
      withoutVectors: (page) => search.call('withoutVectors', page),
      close: () => search.call('close'),
    };
  }

  async start(): Promise<void> {
    await this.#projection.call('start');
  }

  async close(): Promise<void> {
    await this.#projection.call('stop');
    await this.reader.close();
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}
