import { renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '#event-store';
import { hasCode } from '#kernel';
import type { Lease } from '#leases';
import { DEFAULT_GROUP, servingSpace } from '#vector-spaces';
import { removeViews, type ViewsReader } from '#views';
import { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { OneRebuild } from './one-rebuild.ts';
import { ProjectionThread } from './projection-thread.ts';
import { startSearchThread } from './search-thread.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

export interface EmbeddedViewsOptions {
  readonly logger: { error(message: string): void };
}

const LOOK_EVERY_MS = 1_000;
/** Damage that comes back at once is the disk's, and a rebuild takes a core for its time: not more often than this. */
const MEND_EVERY_MS = 60_000;
/** A search thread that ends sooner than this is started again after growing pauses. */
const LONG_LIVED_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

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
  readonly #one: OneRebuild;
  #lost = false;
  readonly #closing = new AbortController();
  /** Grows whenever other views take the place of these. */
  #generation = 0;
  #mending: Promise<void> | null = null;
  #mendedAt = Number.NEGATIVE_INFINITY;
  #searchPauseMs = 0;

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
    this.#one = new OneRebuild({ ...storage, nats: null });
    this.#logger = logger;
    this.#projection = projection;
    this.#search = Promise.resolve(this.#startSearch());
    this.progress = progress;
    this.reader = {
      checkpoint: () => this.#ask((search) => search.checkpoint()),
      vectorSpace: () => this.#ask((search) => search.vectorSpace()),
      documents: (...args) => this.#ask((search) => search.documents(...args)),
      list: (...args) => this.#ask((search) => search.list(...args)),
      search: (...args) => this.#ask((search) => search.search(...args)),
      units: (...args) => this.#ask((search) => search.units(...args)),
      newestMemories: (...args) => this.#ask((search) => search.newestMemories(...args)),
      unfinished: (...args) => this.#ask((search) => search.unfinished(...args)),
      countUnfinished: () => this.#ask((search) => search.countUnfinished()),
      withoutVectors: (...args) => this.#ask((search) => search.withoutVectors(...args)),
      close: async () => (await this.#search).close(),
    };
  }

  get mending(): boolean {
    return this.#mending !== null;
  }

  /** They were made when they were opened. */
  async made(): Promise<void> {}

  /**
   * Resolves when the signal aborts; the views end with `close`.
   * @throws Error when the projection has ended by itself; the next call begins another one
   */
  async follow({ signal }: Lease): Promise<void> {
    this.#following = true;
    // Views that cannot be opened are made anew, so that nobody may go on reading those that were.
    if (this.#lost) await this.#replace(async () => {});
    else await this.#projection.start();
    this.#lost = false;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const projection = this.#projection;
      const fault = await Promise.race([stopped, projection.ended.catch((error: Error) => error)]);
      // One that makes way for another has not been lost.
      await this.#search;
      if (signal.aborted || this.#projection !== projection) continue;
      if (isDamage(fault)) await Promise.race([stopped, this.#mend(fault.message)]);
      if (signal.aborted || this.#projection !== projection) continue;
      this.#lost = true;
      throw fault;
    }
  }

  /**
   * In a second file, which takes the place of the first.
   * @throws RebuildRunningError: two at once would write the same file
   */
  async rebuild(options: RebuildOptions): Promise<boolean> {
    return (await this.#one.run(options.signal, (signal) => this.#rebuild({ ...options, signal }))) ?? false;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#mending;
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
      { kind: 'file', path, space: space ?? (await servingSpace(store, DEFAULT_GROUP)) },
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
      const reached = (position: Position | null) =>
        Promise.race([progress.reached(position, LOOK_EVERY_MS), projection.ended]);
      while (!signal.aborted && !(await reached(head)));
      const level = async () => {
        const now = await store.head();
        while (!signal.aborted && !(await reached(now)));
        while (!signal.aborted && !(await this.progress.reached(now, LOOK_EVERY_MS)));
      };
      wanted = !signal.aborted && (inspect === undefined || (await this.#inspected(inspect, path, level)));
    } finally {
      await projection.close();
      if (!wanted) removeViews(path);
    }
    if (wanted) {
      await this.#replace(async () => {
        removeViews(this.#storage.files.views);
        renameSync(path, this.#storage.files.views);
      });
    }
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

  /** @throws ViewsDamagedError, ThreadGoneError: something is done about it */
  async #ask<T>(question: (search: ViewsReader) => Promise<T>): Promise<T> {
    const generation = this.#generation;
    try {
      return await question(await this.#search);
    } catch (error) {
      if (isDamage(error) && generation === this.#generation) void this.#mend(error.message);
      throw error;
    }
  }

  /** Makes damaged views anew. Resolves when others have taken their place, or these are closed. */
  #mend(damage: string): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#mending ??= this.#mendUntilDone(damage).finally(() => {
      this.#mending = null;
    });
    return this.#mending;
  }

  async #mendUntilDone(damage: string): Promise<void> {
    const { signal } = this.#closing;
    const damaged = this.#generation;
    this.#logger.error(`the views are damaged and are made anew from the log: ${damage}`);
    while (!signal.aborted && this.#generation === damaged) {
      const wait = this.#mendedAt + MEND_EVERY_MS - performance.now();
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined);
      this.#mendedAt = performance.now();
      try {
        if (!signal.aborted && this.#generation === damaged) await this.rebuild({ onProgress: () => {}, signal });
      } catch (error) {
        this.#logger.error(`the damaged views could not be made anew yet: ${String(error)}`);
      }
    }
  }

  /**
   * Closes everything that has the old file open before it is replaced (a log beside it belongs to the file of its name),
   * and opens what stands in its place.
   */
  async #replace(file: () => Promise<void>): Promise<void> {
    const old = await this.#search.catch(() => null);
    this.#generation += 1;
    const replaced = Promise.all([old?.close(), this.#projection.close()]).then(file);
    // Questions are answered again in any case: views that are gone come back from the log.
    this.#search = replaced
      .catch(() => {})
      .then(() => this.#reopen())
      .catch((error) => {
        this.#lost = true;
        throw error;
      });
    await this.#search;
    await replaced;
  }

  async #reopen(): Promise<ViewsReader> {
    this.#projection = await openProjection(this.#storage, this.progress, this.#logger);
    if (this.#following) await this.#projection.start();
    return this.#startSearch();
  }

  #startSearch(): ViewsReader {
    const { files, settings } = this.#storage;
    const generation = this.#generation;
    const startedAt = performance.now();
    return startSearchThread(
      { path: files.views, cacheBytes: settings.cacheBytes },
      {
        damaged: (message) => {
          if (generation === this.#generation) void this.#mend(message);
        },
        lost: (message) => void this.#searchLost(message, startedAt, generation),
      },
    );
  }

  /** Until another one is there, questions are answered with ThreadGoneError. */
  async #searchLost(message: string, startedAt: number, generation: number): Promise<void> {
    const { signal } = this.#closing;
    const isCurrent = () => !signal.aborted && generation === this.#generation;
    if (!isCurrent()) return;
    const wait = performance.now() - startedAt < LONG_LIVED_MS ? this.#searchPauseMs : 0;
    this.#searchPauseMs = Math.min(Math.max(wait * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#logger.error(`the thread that searches was lost and is started again in ${wait} ms: ${message}`);
    await pause(wait, undefined, { signal }).catch(() => undefined);
    if (isCurrent()) this.#search = Promise.resolve(this.#startSearch());
  }
}

const isDamage = (error: unknown): error is Error => hasCode(error, 'views_damaged');

const rebuiltPath = ({ files }: Storage): string => `${files.views}-rebuilt`;

async function openProjection(
  storage: Storage,
  progress: ReportedProgress,
  logger: EmbeddedViewsOptions['logger'],
): Promise<ProjectionThread> {
  const projection = await ProjectionThread.open(
    storage,
    { kind: 'file', path: storage.files.views, space: await servingSpace(storage.store, DEFAULT_GROUP) },
    {
      progress: (position) => progress.report(position),
      fault: (message) => logger.error(`the views could not follow the log and try again: ${message}`),
    },
  );
  progress.report(projection.checkpoint);
  return projection;
}
