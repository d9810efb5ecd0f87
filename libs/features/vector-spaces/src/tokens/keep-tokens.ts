import { setTimeout as pause } from 'node:timers/promises';
import { KNOWN_SPACES } from '#ports/models';
import { backfillDocument } from '../backfill-document.ts';
import type { ChangeSources } from '../change/change-sources.ts';
import { DocumentPass } from '../change/document-pass.ts';
import { supersededError } from '../change/model-ready.ts';
import { namedIn } from '../change/named-documents.ts';
import { releaseSpaces } from '../change/release-spaces.ts';
import type { GroupEmbedder } from '../group-embedder.ts';
import { TokenProgress } from './token-filling.ts';

/** Between two looks at the model and at the space that serves. Milliseconds. */
const LOOK_EVERY_MS = 2_000;
/** Pause after a fault. Milliseconds. */
const PAUSE_MS = 30_000;
/** Between two records of the progress. Milliseconds. */
const RECORD_EVERY_MS = 10_000;

export interface KeepTokensOptions {
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/**
 * Has the tokens of all documents stored in the space that serves, if its embedder makes them, and removes them if it does
 * not. Stages do so for what they embed; this is for what was embedded before the setting was changed. What was done stays
 * when the signal aborts, and the next call begins again, which costs a look at each document.
 */
export async function keepTokens(
  sources: ChangeSources,
  embedder: GroupEmbedder,
  { logger, signal }: KeepTokensOptions,
): Promise<void> {
  if (embedder.status().state === 'off') return;
  const work = new TokenWork(sources, embedder, { logger, signal });
  while (!signal.aborted) {
    try {
      await work.look();
      await waited(LOOK_EVERY_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(`The tokens of documents are not stored or removed for now: ${String(error)}`, error);
      await waited(PAUSE_MS, signal);
    }
  }
}

class TokenWork {
  readonly #sources: ChangeSources;
  readonly #embedder: GroupEmbedder;
  readonly #options: KeepTokensOptions;
  readonly #progress: TokenProgress;
  /** Spaces in which nothing is left to do. */
  readonly #done = new Set<string>();

  constructor(sources: ChangeSources, embedder: GroupEmbedder, options: KeepTokensOptions) {
    this.#sources = sources;
    this.#embedder = embedder;
    this.#options = options;
    this.#progress = new TokenProgress(sources.vectors);
  }

  async look(): Promise<void> {
    const { name, embedder } = this.#embedder.serving;
    if (this.#done.has(name)) return;
    const stores = embedder.storedTokens !== undefined;
    const { state } = await this.#progress.of(name);
    if (state !== (stores ? 'complete' : 'none')) {
      // Recorded before the model is ready, because stages embed as soon as it is.
      if (stores && state === 'none') await this.#progress.begin(name, 0);
      if (!stores) await this.#progress.incomplete(name);
      if (embedder.status().state !== 'ready') return;
      await (stores ? this.#fill(name) : this.#remove(name));
    }
    if (!this.#options.signal.aborted) this.#done.add(name);
  }

  async #fill(space: string): Promise<void> {
    const { logger, signal } = this.#options;
    const { documents, texts, vectors } = this.#sources;
    logger.info(`The tokens of documents are stored in the vector space ${space}, for rerank`);
    let recorded = Promise.resolve();
    let recordedAt = performance.now();
    const pass = new DocumentPass(this.#sources, {
      signal,
      onProgress: (count) => {
        if (performance.now() - recordedAt < RECORD_EVERY_MS) return;
        recordedAt = performance.now();
        recorded = recorded.then(() => this.#progress.begin(space, count)).catch(() => undefined);
      },
      onSkipped: namedIn(logger, 'has no tokens'),
    });
    await pass.run(async ({ organization, id }) => {
      const serving = this.#embedder.serving.name;
      if (serving !== space) throw supersededError(serving);
      const backfill = { documents, texts, vectors, kept: await this.#kept() };
      await backfillDocument(
        { ...backfill, space: { name: space, embedder: this.#embedder.modelOf(space) } },
        organization,
        id,
      );
    });
    await recorded;
    if (signal.aborted) return;
    await this.#progress.complete(space);
    logger.info(`The tokens of all documents are stored in the vector space ${space}`);
  }

  async #remove(space: string): Promise<void> {
    const { logger, signal } = this.#options;
    // Also of spaces that served before: their vectors may be kept, and their tokens go too.
    const spaces = await this.#kept();
    for (const each of spaces) await this.#progress.incomplete(each);
    await releaseSpaces(this.#sources, {
      ...{ group: this.#embedder.group, space, embedder: this.#embedder.modelOf(space), signal },
      ...{ kept: () => this.#kept(), keepsTokens: false, pollMs: LOOK_EVERY_MS },
      onProgress: () => {},
      onSkipped: namedIn(logger, 'keeps its tokens'),
    });
    if (signal.aborted) return;
    for (const each of spaces) await this.#progress.removed(each);
    logger.info('The tokens of all documents are removed');
  }

  async #kept(): Promise<readonly string[]> {
    const { serving, coming } = await this.#sources.spaces.load(this.#embedder.group);
    return [...KNOWN_SPACES, serving, ...(coming === null ? [] : [coming])];
  }
}

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
