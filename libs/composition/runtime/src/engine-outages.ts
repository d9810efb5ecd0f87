import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, hasCode, withoutCredentials } from '#platform/kernel';
import { translateNatsError } from '#platform/nats';
import type { LogGate } from '#platform/telemetry';
import { KeptStreamsWatch } from './kept-streams-watch.ts';
import type { Parts } from './parts.ts';

/** Milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** How long errors of an outage may come after its end. Milliseconds. */
const LATE_MS = 5_000;

export interface WatchedEngine {
  /** With its address, as the subject of a sentence. */
  readonly name: string;
  /** Rejects while the engine is away. */
  look(): Promise<unknown>;
  /** For how long it has been away, in milliseconds. Absent: since `look` failed. */
  lasts?(): number;
  /** Whether an error may come from the absence of the engine. */
  mayCause(error: unknown): boolean;
  /** Calls back when the connection is lost. Absent: only `look` tells. */
  onLoss?(lost: (reason: string) => void): void;
}

interface EngineWatch {
  readonly engine: WatchedEngine;
  /** Null within: it answers. Otherwise the reason. */
  looking: Promise<string | null> | null;
  /** Milliseconds. Null: it is there. */
  lostAt: number | null;
  backAt: number;
}

interface EngineOutagesOptions {
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly clock: Clock;
}

/**
 * Writes one line when an engine outside of the process is lost, and one when it is back. Lines with errors that come from
 * its absence are not written.
 */
export class EngineOutages {
  readonly #engines: readonly EngineWatch[];
  readonly #options: EngineOutagesOptions;
  readonly #closing = new AbortController();

  static of(parts: Parts, options: EngineOutagesOptions): EngineOutages {
    return new EngineOutages(watchedEngines(parts), options);
  }

  constructor(engines: readonly WatchedEngine[], options: EngineOutagesOptions) {
    this.#engines = engines.map((engine) => ({
      ...{ engine, looking: null, lostAt: null, backAt: Number.NEGATIVE_INFINITY },
    }));
    this.#options = options;
    for (const one of this.#engines) {
      one.engine.onLoss?.((reason) => this.#lost(one, reason, options.clock.now()));
      void this.#watch(one);
    }
  }

  /** For the log of the process. */
  get gate(): LogGate {
    return (cause, write) => {
      const away = this.#engines.filter(({ engine }) => chainOf(cause).some((error) => engine.mayCause(error)));
      if (away.some(({ lostAt, backAt }) => lostAt !== null || this.#options.clock.now() - backAt < LATE_MS)) return;
      if (away.length === 0) write();
      else void Promise.all(away.map((one) => this.#answersNow(one))).then((there) => there.every(Boolean) && write());
    };
  }

  close(): void {
    this.#closing.abort();
  }

  /** An engine is lost if it fails twice in a row, because single failures are usual, e.g. while an index is made. */
  async #watch(one: EngineWatch): Promise<void> {
    const { signal } = this.#closing;
    for (let failedAt: number | null = null; !signal.aborted; ) {
      const reason = await this.#look(one);
      if (reason === null) this.#back(one);
      else if (failedAt !== null) this.#lost(one, reason, failedAt);
      failedAt = reason === null ? null : (failedAt ?? this.#options.clock.now());
      await pause(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Returns why the engine does not answer, or null if it does. */
  #look(one: EngineWatch): Promise<string | null> {
    one.looking ??= one.engine
      .look()
      .then(
        () => null,
        (error) => String(error.message),
      )
      .finally(() => {
        one.looking = null;
      });
    return one.looking;
  }

  /** Returns whether the engine answers, asked after the error that calls for it. */
  async #answersNow(one: EngineWatch): Promise<boolean> {
    await one.looking;
    return (await this.#look(one)) === null;
  }

  #lost(one: EngineWatch, reason: string, failedAt: number): void {
    if (one.lostAt !== null || this.#closing.signal.aborted) return;
    const lasts = one.engine.lasts?.();
    one.lostAt = lasts === undefined ? failedAt : this.#options.clock.now() - lasts;
    this.#options.logger.warn(`${one.engine.name} is lost: ${withoutCredentials(reason)}`);
  }

  #back(one: EngineWatch): void {
    if (one.lostAt === null || this.#closing.signal.aborted) return;
    one.backAt = this.#options.clock.now();
    const seconds = ((one.backAt - one.lostAt) / 1_000).toFixed(1);
    one.lostAt = null;
    this.#options.logger.info(`${one.engine.name} is back after ${seconds} s`);
  }
}

/** Returns the error and what it comes from. */
function chainOf(error: unknown): readonly unknown[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}

/** Embedded engines live in the process and are not watched. */
function watchedEngines({ storage, views }: Parts): readonly WatchedEngine[] {
  const { store, nats, settings } = storage;
  const engines: WatchedEngine[] = [];
  const { eventStoreUrl, natsUrl, openSearchUrl } = settings;
  if (eventStoreUrl !== null) {
    engines.push({
      name: `The event log at ${withoutCredentials(eventStoreUrl)}`,
      look: async () => {
        const outage = store.outage?.();
        if (outage) throw new Error(outage.reason);
      },
      lasts: () => store.outage?.()?.lasts ?? 0,
      mayCause: (error) => hasCode(error, 'event_store_unreachable'),
    });
  }
  const streams = KeptStreamsWatch.of(storage);
  if (nats !== null && natsUrl !== null && streams !== null) {
    engines.push({
      name: `NATS at ${withoutCredentials(natsUrl)}`,
      look: () => streams.look(),
      mayCause: (error) => hasCode(translateNatsError(error, ''), 'nats_unreachable'),
      onLoss: async (lost) => {
        for await (const { type } of nats.status()) if (type === 'disconnect') lost('the connection was lost');
      },
    });
  }
  if (openSearchUrl !== null) {
    engines.push({
      name: `The search index at ${withoutCredentials(openSearchUrl)}`,
      // OpenSearch answers also if the views do not exist yet.
      look: () => views.reader.checkpoint().catch(unlessMissing),
      mayCause: (error) => hasCode(error, 'views_unreachable'),
    });
  }
  return engines;
}

function unlessMissing(error: unknown): null {
  if (hasCode(error, 'views_missing')) return null;
  throw error;
}
