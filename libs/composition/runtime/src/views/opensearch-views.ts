import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_GROUP, servingSpace, VectorSpaceChangedError } from '#features/vector-spaces';
import { hasCode, mnemeError, newId, systemClock } from '#platform/kernel';
import { proxyPort } from '#platform/thread-calls';
import { holdsAll } from '#ports/event-store';
import type { Lease } from '#ports/leases';
import {
  type OpenSearchReader,
  openOpenSearchReader,
  purgeOpenSearchViews,
  READER_METHODS,
  removeLeftRebuilds,
  removeReplacedViews,
  replaceOpenSearchViews,
  VIEWS_LEASE,
  ViewsMissingError,
  type ViewsReader,
} from '#read-side/views';
import { openLeases } from '../bus.ts';
import { PolledProgress } from '../progress/polled.ts';
import { indexLayout } from '../settings.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ForeignViews, type ViewsLogger } from './foreign-views.ts';
import { OneRebuild } from './one-rebuild.ts';
import { ProjectionThread } from './projection-thread.ts';
import { RebuiltIndices } from './rebuilt-indices.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

/** Milliseconds. Longer than the lease of a killed process lasts. */
const TAKE_OVER_MS = 20_000;
/** Milliseconds for which the serving views may stand still before rebuilt ones take over. */
const HAND_OVER_MS = 3_000;
const LOOK_EVERY_MS = 50;
const TIDY_EVERY_MS = 3_600_000;

/** The projection did not give up its lease; the serving views stay. */
class ViewsHeldError extends mnemeError('transient', 'views_held') {}

/** Views in OpenSearch: read by every process, written by the one that holds the lease. */
export class OpenSearchViews implements OpenViews {
  readonly reader: ViewsReader;
  readonly progress: PolledProgress;
  /** OpenSearch repairs its own indices. */
  readonly repairing = false;
  readonly #storage: Storage;
  readonly #url: string;
  readonly #logger: ViewsLogger;
  readonly #opensearch: OpenSearchReader;
  /** Whether the views follow from this log, once that is known: then they stay so. */
  #isOfLog = false;
  readonly #one: OneRebuild;
  #tidying: Promise<void> = Promise.resolve();
  readonly #holder = `${hostname()} ${process.pid} ${newId().slice(0, 6)}`;

  static async open(
    storage: Storage,
    url: string,
    { logger }: { readonly logger: ViewsLogger },
  ): Promise<OpenSearchViews> {
    const reader = await openOpenSearchReader({ url, prefix: storage.settings.prefix });
    return new OpenSearchViews(storage, url, reader, logger);
  }

  private constructor(storage: Storage, url: string, reader: OpenSearchReader, logger: ViewsLogger) {
    this.#storage = storage;
    this.#url = url;
    this.#one = new OneRebuild(storage);
    this.#logger = logger;
    this.#opensearch = reader;
    this.reader = {
      ...proxyPort<ViewsReader>(READER_METHODS, (call) => this.#ask(call)),
      close: () => reader.close(),
    };
    this.progress = new PolledProgress({
      compare: (a, b) => storage.store.compare(a, b),
      ask: () => this.#ask((views) => views.progress()),
    });
  }

  async made(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (performance.now() < until && !(await this.#exist())) await pause(LOOK_EVERY_MS);
  }

  /** @throws FencedError if a writer of a later lease has taken over */
  async follow({ fencingToken, signal }: Lease): Promise<void> {
    const { prefix } = this.#storage.settings;
    const space = await servingSpace(this.#storage.store, DEFAULT_GROUP);
    const own = { url: this.#url, prefix, holder: this.#holder, ...indexLayout(this.#storage.settings) };
    const target = { kind: 'opensearch', ...own, fencingToken, space } as const;
    const foreign = new ForeignViews(this.#storage.store, this.#logger);
    const projection = await ProjectionThread.open(this.#storage, target, {
      progress: (...progress) => foreign.progress(...progress),
      fault: (error) => this.#logger.error(`the views could not follow the log and try again: ${String(error)}`, error),
      foreign: () => foreign.found(),
    });
    const tidy = () => {
      this.#tidying = this.#tidy(signal);
    };
    const tidying = setInterval(tidy, TIDY_EVERY_MS);
    try {
      await projection.start();
      tidy();
      if (!signal.aborted) await Promise.race([once(signal, 'abort'), projection.ended]);
    } finally {
      clearInterval(tidying);
      await projection.close();
    }
  }

  /**
   * Removes the indices of rebuilds that were killed. Only under the rebuild lease: nothing else tells them from a
   * rebuild that runs.
   */
  async #tidy(signal: AbortSignal): Promise<void> {
    const { prefix } = this.#storage.settings;
    try {
      await this.#one.run(signal, () => removeLeftRebuilds({ url: this.#url, prefix }));
    } catch (error) {
      if (signal.aborted || hasCode(error, 'rebuild_running')) return;
      this.#logger.error(`what rebuilds of the views left behind was not removed: ${String(error)}`, error);
    }
  }

  /**
   * Builds under a prefix of its own, which then takes over the aliases of the serving views.
   * @throws RebuildRunningError, RebuildLostError, ViewsHeldError; VectorSpaceChangedError if another process has selected a space
   *   since: then nothing is replaced
   */
  async rebuild(options: RebuildOptions): Promise<boolean> {
    await this.#tidying;
    return (await this.#one.run(options.signal, (signal) => this.#rebuild({ ...options, signal }))) ?? false;
  }

  async #rebuild({ space: named, onProgress, inspect, signal }: RebuildOptions): Promise<boolean> {
    const { store, settings } = this.#storage;
    const space = named ?? (await servingSpace(store, DEFAULT_GROUP));
    const [url, holder, logger, { prefix }] = [this.#url, this.#holder, this.#logger, settings];
    await removeLeftRebuilds({ url, prefix });
    const rebuilt = await RebuiltIndices.start(this.#storage, { url, holder, logger, space, onProgress });
    let replaced = false;
    try {
      if (!(await rebuilt.level(signal))) return false;
      const level = async () => void (await rebuilt.level(signal, this.progress));
      if (inspect && !(await inspect({ serving: this.reader, rebuilt: rebuilt.reader, level }))) return false;
      if (named === undefined && (await servingSpace(store, DEFAULT_GROUP)) !== space) {
        throw new VectorSpaceChangedError(
          'The vector space has changed since the start of the command; start it again',
        );
      }
      while (!replaced && (await rebuilt.level(signal))) replaced = await this.#install(rebuilt, signal);
    } finally {
      await (replaced ? rebuilt.close() : rebuilt.discard());
    }
    if (replaced) await removeReplacedViews({ url, prefix });
    return replaced;
  }

  /**
   * Has the rebuilt views serve from the present end of the log on, under the lease of the projection: nothing is written to
   * the serving ones in the meantime, so that no answer of the new ones is older than one of these.
   * @returns false: they did not reach the end in time, or the signal aborted; the serving ones follow the log again
   * @throws ViewsHeldError
   */
  async #install(rebuilt: RebuiltIndices, signal: AbortSignal): Promise<boolean> {
    const leases = await openLeases(this.#storage, systemClock);
    const late = AbortSignal.timeout(TAKE_OVER_MS);
    const outcome = { held: false, replaced: false };
    await leases.hold(VIEWS_LEASE, {
      signal: AbortSignal.any([signal, late]),
      takeOver: true,
      run: async (held) => {
        outcome.held = true;
        const enough = AbortSignal.any([held.signal, AbortSignal.timeout(HAND_OVER_MS)]);
        outcome.replaced = await replaceOpenSearchViews({
          ...{ url: this.#url, prefix: this.#storage.settings.prefix, by: rebuilt.prefix },
          ...{ fencingToken: held.fencingToken, holder: this.#holder },
          ready: async () => {
            const isLevel = await rebuilt.level(enough);
            if (isLevel) await rebuilt.close();
            return isLevel;
          },
        });
      },
    });
    if (!outcome.held && late.aborted && !signal.aborted) {
      throw new ViewsHeldError('The process that writes the views does not pass them on; start the command again');
    }
    return outcome.replaced;
  }

  /** Merges deleted rows away, on every copy. @throws ViewsUnreachableError */
  async purge(signal: AbortSignal): Promise<boolean> {
    return purgeOpenSearchViews({ url: this.#url, prefix: this.#storage.settings.prefix, signal });
  }

  /**
   * Until another process has replaced views of another history, they are not shown.
   * @throws ViewsMissingError
   */
  async #ask<T>(question: (views: OpenSearchReader) => Promise<T>): Promise<T> {
    if (!this.#isOfLog) {
      const { checkpoint, beyond } = await this.#opensearch.progress();
      const positions = [checkpoint, beyond?.position ?? null].filter((position) => position !== null);
      if (!(await holdsAll(this.#storage.store, positions))) {
        throw new ViewsMissingError('the views follow from events that the log does not hold; a worker rebuilds them');
      }
      this.#isOfLog = positions.length > 0;
    }
    return question(this.#opensearch);
  }

  /** Counts views that cannot be reached as existing. */
  #exist(): Promise<boolean> {
    return this.reader.countUnfinished().then(
      () => true,
      (error) => !hasCode(error, 'views_missing'),
    );
  }

  async close(): Promise<void> {
    this.progress.close();
    await this.reader.close();
  }
}
