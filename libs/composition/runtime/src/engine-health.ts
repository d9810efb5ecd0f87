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
  readonly #clock: Clock;
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #streams: Pick<KeptStreamsWatch, 'missing'> | null;
  readonly #blobs: string | null;
  readonly #findLoss: () => Promise<ContentLossSuspension | null>;
  readonly #countFailingErasures: () => Promise<number>;
  readonly #countLeftOutRows: () => Promise<number>;
  #contentLoss: ContentLoss | null = null;
  #failingErasures = 0;
  #leftOutRows = 0;
  #answer: Promise<EnginesReport> = Promise.resolve({
    unreachable: [],
    missing: [],
    contentLoss: null,
    failingErasures: 0,
    leftOutRows: 0,
  });

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

  constructor(
    questions: Readonly<Partial<Record<Engine, Question>>>,
    { streams = null, blobs = null, clock = systemClock, ...options }: EngineHealthOptions = {},
  ) {
    this.#questions = questions;
    this.#streams = streams;
    this.#blobs = blobs;
    this.#findLoss = options.findLoss ?? (async () => null);
    this.#countFailingErasures = options.countFailingErasures ?? (async () => 0);
    this.#countLeftOutRows = options.countLeftOutRows ?? (async () => 0);
    this.#clock = clock;
  }

  /** Resolves within two seconds, and asks each engine at most once a second. */
  report(): Promise<EnginesReport> {
    const now = this.#clock.now();
    if (now - this.#askedAt >= ASK_EVERY_MS) {
      this.#askedAt = now;
      this.#answer = this.#ask();
    }
    return this.#answer;
  }

  async #ask(): Promise<EnginesReport> {
    const asked = Object.entries(this.#questions) as [Engine, Question][];
    const [answers] = await Promise.all([
      Promise.all(asked.map(async ([name, ask]) => ((await answersSoon(ask)) ? null : name))),
      answersSoon(() => this.#lookForLoss()),
      answersSoon(async () => {
        this.#failingErasures = await this.#countFailingErasures();
      }),
      answersSoon(async () => {
        this.#leftOutRows = await this.#countLeftOutRows();
      }),
    ]);
    return {
      unreachable: answers.filter((name) => name !== null),
      missing: this.#missing(),
      contentLoss: this.#contentLoss,
      failingErasures: this.#failingErasures,
      leftOutRows: this.#leftOutRows,
    };
  }

  #missing(): readonly string[] {
    const isFolderMissing = this.#blobs !== null && !existsSync(this.#blobs);
    return [...(this.#streams?.missing ?? []), ...(isFolderMissing ? ['blobs/'] : [])];
  }

  /** What is not answered stays as it was known last. */
  async #lookForLoss(): Promise<void> {
    const loss = await this.#findLoss();
    this.#contentLoss = loss && { since: isoTime(loss.at), documents: loss.documents };
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
