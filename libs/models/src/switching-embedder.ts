import type { Embedder, ModelStatus } from './port.ts';

interface Running {
  readonly space: string;
  readonly embedder: Embedder;
}

/**
 * Embeds in the vector space that serves, and holds ready a second one while spaces change. A model that is needed no more
 * is unloaded once it has answered what it was asked.
 */
export class SwitchingEmbedder implements Embedder {
  readonly #start: (space: string) => Embedder;
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  readonly #ending = new Set<Promise<void>>();
  #serving: Running;
  #coming: Running | null = null;
  #unhear: () => void = () => {};
  #closed = false;

  /** @param start begins to load the model of a space, and answers at once */
  constructor(start: (space: string) => Embedder, space: string) {
    this.#start = start;
    this.#serving = this.#begin(space);
    this.#hear();
  }

  get present(): Embedder {
    return this.#serving.embedder;
  }

  get coming(): Embedder | null {
    return this.#coming?.embedder ?? null;
  }

  /** Questions belong to this space from now on. */
  serve(space: string): void {
    if (this.#closed || space === this.#serving.space) return;
    const before = this.#serving;
    this.#serving = this.#coming?.space === space ? this.#coming : this.#begin(space);
    if (this.#coming === this.#serving) this.#coming = null;
    this.#unhear();
    this.#hear();
    this.#end(before);
    this.#tell(this.status());
  }

  /** Holds the model of a further space ready. Null: of none. */
  prepare(space: string | null): void {
    const wanted = space === this.#serving.space ? null : space;
    if (this.#closed || wanted === (this.#coming?.space ?? null)) return;
    if (this.#coming !== null) this.#end(this.#coming);
    this.#coming = wanted === null ? null : this.#begin(wanted);
  }

  status(): ModelStatus {
    return this.#serving.embedder.status();
  }

  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  embedQuestion(text: string): Promise<Float32Array> {
    return this.#serving.embedder.embedQuestion(text);
  }

  embedPassages(...args: Parameters<Embedder['embedPassages']>): ReturnType<Embedder['embedPassages']> {
    return this.#serving.embedder.embedPassages(...args);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const one of [this.#serving, this.#coming]) if (one !== null) this.#end(one);
    await Promise.all(this.#ending);
    this.#unhear();
  }

  #begin(space: string): Running {
    return { space, embedder: this.#start(space) };
  }

  #end({ embedder }: Running): void {
    const ended = embedder.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #hear(): void {
    this.#unhear = this.#serving.embedder.onStatus((status) => this.#tell(status));
  }

  #tell(status: ModelStatus): void {
    for (const listener of this.#listeners) listener(status);
  }
}
