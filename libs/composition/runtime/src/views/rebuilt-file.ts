import { DEFAULT_GROUP, servingSpace } from '#features/vector-spaces';
import { removeViews } from '#read-side/views';
import { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ProjectionThread } from './projection-thread.ts';
import { startSearchThread } from './search-thread.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

const LOOK_EVERY_MS = 1_000;

/** Where embedded views are rebuilt, beside those that serve. */
export const rebuiltPath = ({ files }: Storage): string => `${files.views}-rebuilt`;

/** Views that are built from the log in a second file, and follow it until they are closed. */
export class RebuiltFile {
  readonly path: string;
  readonly #storage: Storage;
  readonly #progress: ReportedProgress;
  readonly #projection: ProjectionThread;
  #open = true;

  /** Starts to build them. */
  static async start(
    storage: Storage,
    { space, onProgress }: Pick<RebuildOptions, 'space' | 'onProgress'>,
    logger: { error(message: string, cause?: unknown): void },
  ): Promise<RebuiltFile> {
    const { store } = storage;
    const path = rebuiltPath(storage);
    removeViews(path);
    const progress = new ReportedProgress((a, b) => store.compare(a, b), null);
    const projection = await ProjectionThread.open(
      storage,
      { kind: 'file', path, space: space ?? (await servingSpace(store, DEFAULT_GROUP)) },
      {
        progress: (position, written) => {
          progress.report(position);
          onProgress(written);
        },
        fault: (error) => logger.error(`the new views could not follow the log and try again: ${String(error)}`, error),
      },
    );
    await projection.start();
    return new RebuiltFile(storage, progress, projection);
  }

  private constructor(storage: Storage, progress: ReportedProgress, projection: ProjectionThread) {
    this.path = rebuiltPath(storage);
    this.#storage = storage;
    this.#progress = progress;
    this.#projection = projection;
  }

  /**
   * Resolves with true when they hold everything that is in the log by now, or with false when the signal has aborted.
   * @throws Error if their projection has ended
   */
  async level(signal: AbortSignal): Promise<boolean> {
    const head = await this.#storage.store.head();
    while (!signal.aborted) {
      const reached = this.#progress.reached(head, LOOK_EVERY_MS);
      if (await Promise.race([reached, this.#projection.ended])) return true;
    }
    return false;
  }

  /** Returns what `inspect` says of them. */
  async inspectedBy(
    inspect: NonNullable<RebuildOptions['inspect']>,
    { reader, progress }: Pick<OpenViews, 'reader' | 'progress'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const rebuilt = startSearchThread({ path: this.path, cacheBytes: this.#storage.settings.cacheBytes });
    const level = async () => {
      const now = await this.#storage.store.head();
      await this.level(signal);
      while (!signal.aborted && !(await progress.reached(now, LOOK_EVERY_MS, 'all')));
    };
    try {
      return await inspect({ serving: reader, rebuilt, level });
    } finally {
      await rebuilt.close();
    }
  }

  /** Ends after the batch that is being written. May be called again. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#projection.close();
  }

  /** Closes them and removes their file, unless it serves under another name. */
  async discard(): Promise<void> {
    await this.close();
    removeViews(this.path);
  }
}
