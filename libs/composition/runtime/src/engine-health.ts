import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContentLossSuspension } from '#features/documents';
import { type Clock, hasCode, isoTime, systemClock } from '#platform/kernel';
import { KeptStreamsWatch } from './kept-streams-watch.ts';
import type { Parts } from './parts.ts';

/** Engines outside of the process. */
export type Engine = 'log' | 'bus' | 'views';

export interface EnginesReport {
  /** Engines that do not answer. */
  readonly unreachable: readonly Engine[];
  /** What holds data and does not exist: streams on NATS, or the folder `blobs/`. */
  readonly missing: readonly string[];
  /** Null: the views follow the log. */
  readonly contentLoss: ContentLoss | null;
  /** Deletions of which something could not be erased yet. */
  readonly failingErasures: number;
  /** Streams of which a read model lacks rows that the views have refused. */
  readonly leftOutRows: number;
}

/** Returns true if all engines answer and nothing is missing or has failed. */
export const isSound = ({ unreachable, missing, contentLoss, ...counts }: EnginesReport): boolean =>
  unreachable.length === 0 &&
  missing.length === 0 &&
  contentLoss === null &&
  Object.values(counts).every((n) => n === 0);

/** So many documents have lost content that the views have stopped. */
export interface ContentLoss {
  /** ISO 8601. */
  readonly since: string;
  /** Documents that were found without their content at that moment. */
  readonly documents: number;
}

/** Rejects when the engine does not answer. */
export type Question = () => Promise<unknown>;

/** Milliseconds. More frequent questions get the last answer. */
const ASK_EVERY_MS = 1_000;
/** Milliseconds. Health checks have short time-outs. */
const PATIENCE_MS = 1_500;

export interface EngineHealthOptions {
  /** What the question to the bus has found out. */
  readonly streams?: Pick<KeptStreamsWatch, 'missing'> | null;
  /** Folder of the blobs. Null: they are on NATS. */
  readonly blobs?: string | null;
  readonly findLoss?: () => Promise<ContentLossSuspension | null>;
  readonly countFailingErasures?: () => Promise<number>;
  readonly countLeftOutRows?: () => Promise<number>;
  readonly clock?: Clock;
}

/** Probes the engines outside of the process. */
export class EngineHealth {
  readonly #questions: Readonly<Partial<Record<Engine, Question>>>;
  readonly #options: EngineHealthOptions;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** The last answers. A question without an answer does not change them. */
  readonly #found = { contentLoss: null as ContentLoss | null, failingErasures: 0, leftOutRows: 0 };
  #answer: Promise<EnginesReport> = Promise.resolve({ unreachable: [], missing: [], ...this.#found });

  /** Embedded engines live in the process and are not probed. */
  static of({ storage, views, documents }: Parts): EngineHealth {
    const { store, settings, files } = storage;
    const checkpoint = () =>
      views.reader.checkpoint().catch((error) => {
        // OpenSearch answers; the views do not exist yet.
        if (!hasCode(error, 'views_missing')) throw error;
      });
    const streams = KeptStreamsWatch.of(storage);
    const questions = {
      ...(settings.eventStoreUrl !== null && { log: () => store.head() }),
      ...(streams !== null && { bus: () => streams.look() }),
      ...(settings.openSearchUrl !== null && { views: checkpoint }),
    };
    return new EngineHealth(questions, {
      streams,
      blobs: settings.natsUrl === null ? files.blobs : null,
      findLoss: () => documents.losses.suspension(),
      countFailingErasures: async () => {
        const { failing, unlisted } = await documents.erasures.load();
        return failing.length + unlisted;
      },
      countLeftOutRows: async () => (await views.reader.leftOut()).length,
    });
  }

  constructor(questions: Readonly<Partial<Record<Engine, Question>>>, options: EngineHealthOptions = {}) {
    this.#questions = questions;
    this.#options = options;
  }

  /** Resolves within two seconds, and asks each engine at most once a second. */
  report(): Promise<EnginesReport> {
    const now = (this.#options.clock ?? systemClock).now();
    if (now - this.#askedAt >= ASK_EVERY_MS) {
      this.#askedAt = now;
      this.#answer = this.#ask();
    }
    return this.#answer;
  }

  async #ask(): Promise<EnginesReport> {
    const asked = Object.entries(this.#questions) as [Engine, Question][];
    const { findLoss, countFailingErasures, countLeftOutRows } = this.#options;
    const found = this.#found;
    const [answers] = await Promise.all([
      Promise.all(asked.map(async ([name, ask]) => ((await answersSoon(ask)) ? null : name))),
      answersSoon(async () => {
        const loss = (await findLoss?.()) ?? null;
        found.contentLoss = loss && { since: isoTime(loss.at), documents: loss.documents };
      }),
      answersSoon(async () => {
        found.failingErasures = (await countFailingErasures?.()) ?? 0;
      }),
      answersSoon(async () => {
        found.leftOutRows = (await countLeftOutRows?.()) ?? 0;
      }),
    ]);
    return { unreachable: answers.filter((name) => name !== null), missing: this.#missing(), ...found };
  }

  #missing(): readonly string[] {
    const { streams, blobs = null } = this.#options;
    const isFolderMissing = blobs !== null && !existsSync(blobs);
    return [...(streams?.missing ?? []), ...(isFolderMissing ? ['blobs/'] : [])];
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
