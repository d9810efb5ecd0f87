import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, newId } from '#kernel';
import type { Lease } from '#leases';
import { DEFAULT_GROUP, servingSpace, VectorSpaceChangedError } from '#vector-spaces';
import {
  type OpenSearchReader,
  openOpenSearchReader,
  rebuildPrefix,
  removeLeftRebuilds,
  removeOpenSearchViews,
  replaceOpenSearchViews,
} from '#views';
import { PolledProgress } from '../progress/polled.ts';
import type { Storage } from '../storage/open-storage.ts';
import { OneRebuild } from './one-rebuild.ts';
import { ProjectionThread } from './projection-thread.ts';
import type { OpenViews, RebuildOptions } from './views.ts';

const WAIT_MS = 1_000;
const LOOK_EVERY_MS = 50;
const TIDY_EVERY_MS = 3_600_000;

/** Views in OpenSearch: read by every process, written by the one that holds the lease. */
export class OpenSearchViews implements OpenViews {
  readonly reader: OpenSearchReader;
  readonly progress: PolledProgress;
  /** OpenSearch repairs its own indices. */
  readonly repairing = false;
  readonly #storage: Storage;
  readonly #url: string;
  readonly #logger: { error(message: string): void };
  readonly #one: OneRebuild;
  #tidying: Promise<void> = Promise.resolve();
  readonly #holder = `${hostname()} ${process.pid} ${newId().slice(0, 6)}`;

  static async open(
    storage: Storage,
    url: string,
    { logger }: { readonly logger: { error(message: string): void } },
  ): Promise<OpenSearchViews> {
    const reader = await openOpenSearchReader({ url, prefix: storage.settings.prefix });
    return new OpenSearchViews(storage, url, reader, logger);
  }

  private constructor(
    storage: Storage,
    url: string,
    reader: OpenSearchReader,
    logger: { error(message: string): void },
  ) {
    this.#storage = storage;
    this.#url = url;
    this.#one = new OneRebuild(storage);
    this.#logger = logger;
    this.reader = reader;
    this.progress = new PolledProgress({
      compare: (a, b) => storage.store.compare(a, b),
      checkpoint: () => reader.checkpoint(),
    });
  }

  async made(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (performance.now() < until && !(await this.#exist())) await pause(LOOK_EVERY_MS);
  }

  /** @throws FencedError if a writer of a later lease has taken over */
  async follow({ epoch: fencingToken, signal }: Lease): Promise<void> {
    const { prefix } = this.#storage.settings;
    const space = await servingSpace(this.#storage.store, DEFAULT_GROUP);
    const target = { kind: 'opensearch', url: this.#url, prefix, fencingToken, holder: this.#holder, space } as const;
    const projection = await ProjectionThread.open(this.#storage, target, {
      progress: () => {},
      fault: (message) => this.#logger.error(`the views could not follow the log and try again: ${message}`),
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
      this.#logger.error(`what rebuilds of the views left behind was not removed: ${String(error)}`);
    }
  }

  /**
   * Builds under a prefix of its own, which then takes over the aliases of the serving views.
   * @throws RebuildRunningError, RebuildLostError; VectorSpaceChangedError if another process has selected a space
   *   since: then nothing is replaced
   */
  async rebuild(options: RebuildOptions): Promise<boolean> {
    await this.#tidying;
    return (await this.#one.run(options.signal, (signal) => this.#rebuild({ ...options, signal }))) ?? false;
  }

  async #rebuild({ space: named, onProgress, inspect, signal }: RebuildOptions): Promise<boolean> {
    const { store, settings } = this.#storage;
    const space = named ?? (await servingSpace(store, DEFAULT_GROUP));
    const [url, holder] = [this.#url, this.#holder];
    await removeLeftRebuilds({ url, prefix: settings.prefix });
    const prefix = rebuildPrefix(settings.prefix, newId().toLowerCase());
    const reader = await openOpenSearchReader({ url, prefix });
    const reached = new PolledProgress({
      compare: (a, b) => store.compare(a, b),
      checkpoint: () => reader.checkpoint(),
    });
    const projection = await ProjectionThread.open(
      this.#storage,
      { kind: 'opensearch', url, prefix, fencingToken: 0, holder, space },
      {
        progress: (_position, written) => onProgress(written),
        fault: (message) => this.#logger.error(`the new views could not follow the log and try again: ${message}`),
      },
    );
    let wanted = false;
    try {
      await projection.start();
      const level = async () => {
        const head = await store.head();
        for (const views of [reached, this.progress]) {
          while (!signal.aborted && !(await Promise.race([views.reached(head, WAIT_MS), projection.ended])));
        }
      };
      const head = await store.head();
      while (!signal.aborted && !(await Promise.race([reached.reached(head, WAIT_MS), projection.ended])));
      wanted = !signal.aborted && (!inspect || (await inspect({ serving: this.reader, rebuilt: reader, level })));
      if (wanted && named === undefined && (await servingSpace(store, DEFAULT_GROUP)) !== space) {
        wanted = false;
        throw new VectorSpaceChangedError(
          'The vector space has changed since the start of the command; start it again',
        );
      }
    } finally {
      reached.close();
      await projection.close();
      await reader.close();
      if (!wanted) await removeOpenSearchViews({ url, prefix });
    }
    if (wanted) await replaceOpenSearchViews({ url, prefix: settings.prefix, by: prefix, holder });
    return wanted;
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
