import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#platform/kernel';
import { proxyPort } from '#platform/thread-calls';
import type { Lease } from '#ports/leases';
import { READER_METHODS, removeViews, replaceViews, type ViewsReader } from '#read-side/views';
import { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import type { ViewsLogger } from './foreign-views.ts';
import { OneRebuild } from './one-rebuild.ts';
import type { ProjectionThread } from './projection-thread.ts';
import { RebuiltFile, rebuiltPath } from './rebuilt-file.ts';
import { startSearchThread } from './search-thread.ts';
import { SelfRepair } from './self-repair.ts';
import { openServingProjection } from './serving-projection.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

export interface EmbeddedViewsOptions {
  readonly logger: ViewsLogger;
}

/** Milliseconds. A search thread that ends sooner is started again after growing pauses. */
const LONG_LIVED_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Milliseconds for which the serving views may stand still before rebuilt ones take over. */
const HAND_OVER_MS = 3_000;

/** The views in two threads: one writes them as the log grows, one reads them. */
export class EmbeddedViews implements OpenViews {
  readonly reader: ViewsReader;
  readonly progress: ReportedProgress;
  readonly #storage: Storage;
  readonly #logger: EmbeddedViewsOptions['logger'];
  #projection: ProjectionThread;
  /** A promise, so that reads wait while one reader replaces another. */
  #search: Promise<ViewsReader>;
  /** Settles when no other projection is about to take the place of the present one. */
  #handOver: Promise<unknown> = Promise.resolve();
  #following = false;
  readonly #one: OneRebuild;
  #lost = false;
  readonly #closing = new AbortController();
  /** Grows whenever other views take the place of these. */
  #generation = 0;
  readonly #repair: SelfRepair;
  #searchPauseMs = 0;

  /** Opens the views. They follow the log once `follow` is called. */
  static async open(storage: Storage, options: EmbeddedViewsOptions): Promise<EmbeddedViews> {
    removeViews(rebuiltPath(storage));
    const progress = new ReportedProgress((a, b) => storage.store.compare(a, b), null);
    const projection = await openServingProjection(storage, progress, options.logger);
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
    this.#repair = new SelfRepair({
      logger,
      signal: this.#closing.signal,
      generation: () => this.#generation,
      rebuild: (signal) => this.rebuild({ onProgress: () => {}, signal }),
    });
    this.#projection = projection;
    this.#search = Promise.resolve(this.#startSearch());
    this.progress = progress;
    this.reader = {
      ...proxyPort<ViewsReader>(READER_METHODS, (call) => this.#ask(call)),
      close: async () => (await this.#search).close(),
    };
  }

  get repairing(): boolean {
    return this.#repair.isRunning;
  }

  async made(): Promise<void> {}

  /**
   * Resolves when the signal aborts; `close` ends the views.
   * @throws Error when the projection has ended by itself; the next call starts another one
   */
  async follow({ signal }: Lease): Promise<void> {
    this.#following = true;
    // Views that cannot be opened are created again, which also replaces the readers of the old ones.
    if (this.#lost) await this.#replace(async () => {});
    else await this.#projection.start();
    this.#lost = false;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const projection = this.#projection;
      const fault = await Promise.race([stopped, projection.ended.catch((error: Error) => error)]);
      // A projection that was replaced has not failed.
      await this.#handOver.catch(() => undefined);
      await this.#search;
      if (signal.aborted || this.#projection !== projection) continue;
      if (isDamage(fault)) await Promise.race([stopped, this.#repair.run(fault.message)]);
      if (signal.aborted || this.#projection !== projection) continue;
      this.#lost = true;
      throw fault;
    }
  }

  /**
   * Builds a second file, which takes the place of the first.
   * @throws RebuildRunningError: two rebuilds would write the same file
   */
  async rebuild(options: RebuildOptions): Promise<boolean> {
    return (await this.#one.run(options.signal, (signal) => this.#rebuild({ ...options, signal }))) ?? false;
  }

  /** SQLite overwrites what is deleted. */
  async purge(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#repair.ended();
    this.progress.close();
    await this.#projection.close();
    await this.reader.close();
  }

  async #rebuild({ inspect, signal, ...options }: RebuildOptions): Promise<boolean> {
    const rebuilt = await RebuiltFile.start(this.#storage, options, this.#logger);
    try {
      if (!(await rebuilt.level(signal))) return false;
      if (inspect && !(await rebuilt.inspectedBy(inspect, this, signal))) return false;
      while (await rebuilt.level(signal)) {
        const handOver = this.#install(rebuilt, AbortSignal.any([signal, AbortSignal.timeout(HAND_OVER_MS)]));
        this.#handOver = handOver;
        this.progress.interrupted(handOver);
        if (await handOver) return true;
      }
      return false;
    } finally {
      await rebuilt.discard();
    }
  }

  /**
   * Has the rebuilt views serve from the present end of the log on. Until they are there, nothing is written to the serving
   * ones, so that no answer of the new ones is older than one of these.
   * @returns false: the signal aborted before; the serving ones follow the log again
   */
  async #install(rebuilt: RebuiltFile, signal: AbortSignal): Promise<boolean> {
    let isLevel = false;
    try {
      await this.#projection.close();
      isLevel = await rebuilt.level(signal);
    } finally {
      if (!isLevel) await this.#followAgain();
    }
    if (!isLevel) return false;
    await rebuilt.close();
    await this.#replace(
      async () => replaceViews(this.#storage.files.views, rebuilt.path),
      () => this.#atHead(),
    );
    return true;
  }

  /** Resolves when the views hold everything that is in the log by now, or have stood still for too long. */
  async #atHead(): Promise<void> {
    if (!this.#following) return;
    const arrives = this.progress.arrives(await this.#storage.store.head(), HAND_OVER_MS);
    await Promise.race([arrives, this.#projection.ended]).catch(() => undefined);
  }

  /** @throws ViewsDamagedError, ThreadGoneError: the repair has been started */
  async #ask<T>(question: (search: ViewsReader) => Promise<T>): Promise<T> {
    const generation = this.#generation;
    try {
      return await question(await this.#search);
    } catch (error) {
      if (isDamage(error) && generation === this.#generation) void this.#repair.run(error.message);
      throw error;
    }
  }

  /**
   * Closes everything that has the old file open before it is replaced, because its write-ahead log belongs to whatever
   * file has its name, and opens the new one.
   * @param ready reads wait for it once the new views follow the log
   */
  async #replace(file: () => Promise<void>, ready = async () => {}): Promise<void> {
    const old = await this.#search.catch(() => null);
    this.#generation += 1;
    const replaced = Promise.all([old?.close(), this.#projection.close()]).then(file);
    // Reads go on in any case: views that are missing are rebuilt from the log.
    this.#search = replaced
      .catch(() => {})
      .then(() => this.#followAgain())
      .then(ready)
      .then(() => this.#startSearch())
      .catch((error) => {
        this.#lost = true;
        throw error;
      });
    await this.#search;
    await replaced;
  }

  async #followAgain(): Promise<void> {
    this.#projection = await openServingProjection(this.#storage, this.progress, this.#logger);
    if (this.#following) await this.#projection.start();
  }

  #startSearch(): ViewsReader {
    const { files, settings } = this.#storage;
    const generation = this.#generation;
    const startedAt = performance.now();
    return startSearchThread(
      { path: files.views, cacheBytes: settings.cacheBytes },
      {
        damaged: (message) => {
          if (generation === this.#generation) void this.#repair.run(message);
        },
        lost: (message) => void this.#searchLost(message, startedAt, generation),
      },
    );
  }

  /** Until the next thread has started, reads reject with ThreadGoneError. */
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
