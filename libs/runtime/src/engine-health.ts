import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, hasCode, systemClock } from '#kernel';
import type { Parts } from './parts.ts';

/** Engines outside of the process. */
export type Engine = 'log' | 'bus' | 'views';

/** Rejects when the engine does not answer. */
export type Question = () => Promise<unknown>;

/** Milliseconds. More frequent questions get the last answer. */
const ASK_EVERY_MS = 1_000;
/** Milliseconds. Health checks have short time-outs. */
const PATIENCE_MS = 1_500;

/** Probes the engines outside of the process. */
export class EngineHealth {
  readonly #questions: Readonly<Partial<Record<Engine, Question>>>;
  readonly #clock: Clock;
  #askedAt = Number.NEGATIVE_INFINITY;
  #answer: Promise<readonly Engine[]> = Promise.resolve([]);

  /** Embedded engines live in the process and are not probed. */
  static of({ storage, views }: Parts): EngineHealth {
    const { store, nats, settings } = storage;
    const checkpoint = () =>
      views.reader.checkpoint().catch((error) => {
        // OpenSearch answers; the views do not exist yet.
        if (!hasCode(error, 'views_missing')) throw error;
      });
    return new EngineHealth({
      ...(settings.eventStoreUrl !== null && { log: () => store.head() }),
      ...(nats !== null && { bus: () => nats.rtt() }),
      ...(settings.openSearchUrl !== null && { views: checkpoint }),
    });
  }

  constructor(questions: Readonly<Partial<Record<Engine, Question>>>, clock: Clock = systemClock) {
    this.#questions = questions;
    this.#clock = clock;
  }

  /** Resolves within two seconds, and asks each engine at most once a second. */
  unreachable(): Promise<readonly Engine[]> {
    const now = this.#clock.now();
    if (now - this.#askedAt >= ASK_EVERY_MS) {
      this.#askedAt = now;
      this.#answer = this.#ask();
    }
    return this.#answer;
  }

  async #ask(): Promise<readonly Engine[]> {
    const asked = Object.entries(this.#questions) as [Engine, Question][];
    const answers = await Promise.all(asked.map(async ([name, ask]) => ((await answersSoon(ask)) ? null : name)));
    return answers.filter((name) => name !== null);
  }
}

/** False also if it takes too long. */
async function answersSoon(ask: Question): Promise<boolean> {
  const waiting = new AbortController();
  const late = pause(PATIENCE_MS, false, { signal: waiting.signal }).catch(() => false);
  const answer = ask().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    waiting.abort();
  }
}
