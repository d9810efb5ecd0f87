import { type Embedder, type ModelStatus, ModelUnavailableError } from './port.ts';

/** The choice to have no vectors, or a space that nobody here has a model for. */
export class EmbedderOff implements Embedder {
  readonly #status: ModelStatus;

  constructor(status: ModelStatus = { state: 'off' }) {
    this.#status = status;
  }

  status(): ModelStatus {
    return this.#status;
  }

  onStatus(): () => void {
    return () => {};
  }

  embedQuestion(): Promise<Float32Array> {
    return Promise.reject(new ModelUnavailableError('Embedding is switched off'));
  }

  embedPassages(): Promise<readonly Float32Array[]> {
    return Promise.reject(new ModelUnavailableError('Embedding is switched off'));
  }

  async close(): Promise<void> {}
}
