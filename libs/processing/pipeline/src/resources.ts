import type { GroupEmbedder } from '#features/vector-spaces';
import type { Resource } from './stages/stage.ts';

/** The resources that stages wait for, and when they come and go. */
export class Resources {
  readonly #embedder: Pick<GroupEmbedder, 'status' | 'onStatus'>;

  constructor(embedder: Pick<GroupEmbedder, 'status' | 'onStatus'>) {
    this.#embedder = embedder;
  }

  readonly isAvailable = (resource: Resource): boolean => {
    switch (resource) {
      case 'model':
        return this.#embedder.status().state === 'ready';
    }
  };

  /** @returns the function that ends it */
  onChange(listener: (resource: Resource) => void): () => void {
    return this.#embedder.onStatus(() => listener('model'));
  }
}
