import type { Window } from './bare-model.ts';
import { type Embedder, type ModelStatus, ModelUnavailableError } from './port.ts';

/** Without a call for this time the model is unloaded. Milliseconds. */
const IDLE_MS = 10 * 60_000;
/** Time that a question waits for the model to load. It does not wait for a download. Milliseconds. */
const QUESTION_WAITS_MS = 5_000;

export interface OnDemandOptions {
  /** Default: ten minutes. Milliseconds. */
  readonly idleMs?: number;
  /** Default: 5,000. Milliseconds. */
  readonly questionWaitsMs?: number;
  /** Called when the model is ready, before it embeds the first passage. If it rejects, it is called again with the next one. */
  readonly beforeFirst?: () => Promise<void>;
}

/** Fetches and loads a model when it is first needed, and unloads it when it has not been used for a while. */
export class OnDemandEmbedder implements Embedder {
  readonly #start: () => Embedder;
  readonly #options: Required<OnDemandOptions>;
  #begun = false;
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  #model: Embedder | null = null;
  #unsubscribe: () => void = () => {};
  #ending: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #calls = 0;
  #closed = false;

  /** @param start begins to load the model, and returns at once */
  constructor(
    start: () => Embedder,
    { idleMs = IDLE_MS, questionWaitsMs = QUESTION_WAITS_MS, beforeFirst = async () => {} }: OnDemandOptions = {},
  ) {
    this.#start = start;
    this.#options = { idleMs, questionWaitsMs, beforeFirst };
  }

  get comparesTokens(): boolean {
    return this.#model?.comparesTokens ?? false;
  }

  /** `idle` while the model is not loaded because nothing needs it. */
  status(): ModelStatus {
    return this.#model?.status() ?? { state: 'idle' };
  }

  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  embedQuestion(text: string): Promise<Float32Array> {
    return this.#used(async (model) => {
      await settled(model, this.#options.questionWaitsMs);
      return model.embedQuestion(text);
    });
  }

  /** Waits until the model is there. @throws ModelUnavailableError if no source has it */
  embedPassages(texts: readonly string[], options?: { readonly signal?: AbortSignal }) {
    return this.#used(async (model) => {
      await this.#prepared(model);
      return model.embedPassages(texts, options);
    });
  }

  /** @throws as `embedPassages` */
  embedWindows(windows: readonly Window[], options?: { readonly signal?: AbortSignal }) {
    return this.#used(async (model) => {
      await this.#prepared(model);
      return model.embedWindows(windows, options);
    });
  }

  async compareTokens(...call: Parameters<Embedder['compareTokens']>) {
    if (this.#model === null) throw new ModelUnavailableError('The model is not loaded');
    return this.#used((model) => model.compareTokens(...call));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unload();
    await this.#ending;
  }

  async #used<T>(call: (model: Embedder) => Promise<T>): Promise<T> {
    if (this.#closed) throw new ModelUnavailableError('The embedder is closed');
    clearTimeout(this.#idle);
    this.#calls += 1;
    try {
      return await call(this.#load());
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0 && !this.#closed) this.#unloadLater();
    }
  }

  async #prepared(model: Embedder): Promise<void> {
    await settled(model, null);
    if (this.#begun || model.status().state !== 'ready') return;
    await this.#options.beforeFirst();
    this.#begun = true;
  }

  #load(): Embedder {
    if (this.#model !== null) return this.#model;
    const model = this.#start();
    this.#model = model;
    this.#unsubscribe = model.onStatus(() => this.#notify());
    this.#notify();
    return model;
  }

  #unloadLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#unload(), this.#options.idleMs).unref();
  }

  #unload(): void {
    clearTimeout(this.#idle);
    const model = this.#model;
    if (model === null) return;
    this.#model = null;
    this.#unsubscribe();
    this.#ending = Promise.all([this.#ending, model.close()]).then(() => undefined);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.status());
  }
}

/** Resolves when a model is ready or unavailable, and with a limit also after this time or while it is fetched. */
function settled(model: Embedder, limitMs: number | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = limitMs === null ? undefined : setTimeout(end, limitMs).unref();
    const unsubscribe = model.onStatus(look);
    look();

    function look(): void {
      const { state } = model.status();
      if (state === 'loading' || (state === 'fetching' && limitMs === null)) return;
      end();
    }

    function end(): void {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
}
