import { type Embedder, type ModelStatus, ModelUnavailableError } from '#ports/models';
import type { SpaceGroup } from './groups.ts';

/** A vector space and its model, which embeds in no other space, whichever serves later. */
export interface Space {
  readonly name: string;
  readonly embedder: Embedder;
}

/**
 * The models of a group: that of the serving space, and while spaces change that of the coming one. A model that is no
 * longer needed is unloaded after it has answered its calls.
 */
export class GroupEmbedder {
  readonly group: SpaceGroup;
  readonly #start: (space: string) => Embedder;
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  readonly #ending = new Set<Promise<void>>();
  #serving: Space;
  #coming: Space | null = null;
  #unsubscribe: () => void = () => {};
  #closed = false;

  /** @param start begins to load the model of a space, and returns at once */
  constructor(group: SpaceGroup, start: (space: string) => Embedder, serving: string) {
    this.group = group;
    this.#start = start;
    this.#serving = this.#begin(serving);
    this.#subscribe();
  }

  get serving(): Space {
    return this.#serving;
  }

  get coming(): Space | null {
    return this.#coming;
  }

  /** The model of a space of this group; null if it is neither serving nor coming. */
  find(space: string): Embedder | null {
    return [this.#serving, this.#coming].find((one) => one?.name === space)?.embedder ?? null;
  }

  /** Embeds in a space with the model that this group has of it at the time of each call. */
  modelOf(space: string): Pick<Embedder, 'status' | 'embedPassages' | 'embedWindows' | 'storedTokens'> {
    const found = () => {
      const embedder = this.find(space);
      if (embedder === null) throw new ModelUnavailableError(`The model of ${space} is not ready`);
      return embedder;
    };
    const storedTokens = () => this.find(space)?.storedTokens;
    return {
      get storedTokens() {
        return storedTokens();
      },
      status: () => this.find(space)?.status() ?? { state: 'loading' },
      embedPassages: async (...args) => found().embedPassages(...args),
      embedWindows: async (...args) => found().embedWindows(...args),
    };
  }

  /** Makes a space the serving one. */
  serve(space: string): void {
    if (this.#closed || space === this.#serving.name) return;
    const before = this.#serving;
    this.#serving = this.#coming?.name === space ? this.#coming : this.#begin(space);
    if (this.#coming === this.#serving) this.#coming = null;
    this.#unsubscribe();
    this.#subscribe();
    this.#end(before);
    this.#notify(this.status());
  }

  /** Makes a space the coming one. Null, or the serving one: there is none. */
  prepare(space: string | null): void {
    const wanted = space === this.#serving.name ? null : space;
    if (this.#closed || wanted === (this.#coming?.name ?? null)) return;
    if (this.#coming !== null) this.#end(this.#coming);
    this.#coming = wanted === null ? null : this.#begin(wanted);
  }

  /** Status of the serving model. */
  status(): ModelStatus {
    return this.#serving.embedder.status();
  }

  /** Calls the listener at each change of the status. Returns a function that ends this. */
  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const space of [this.#serving, this.#coming]) if (space !== null) this.#end(space);
    await Promise.all(this.#ending);
    this.#unsubscribe();
  }

  #begin(name: string): Space {
    return { name, embedder: this.#start(name) };
  }

  #end({ embedder }: Space): void {
    const ended = embedder.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #subscribe(): void {
    this.#unsubscribe = this.#serving.embedder.onStatus((status) => this.#notify(status));
  }

  #notify(status: ModelStatus): void {
    for (const listener of this.#listeners) listener(status);
  }
}
