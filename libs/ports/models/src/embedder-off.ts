import { type Embedder, type ModelStatus, ModelUnavailableError } from './port.ts';

/** The embedder without a model: embedding is off, or this machine has no model of the space. */
export class EmbedderOff implements Embedder {
  readonly comparesTokens: boolean = false;
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

  embedWindows(): Promise<readonly (readonly Float32Array[])[]> {
    return Promise.reject(new ModelUnavailableError('Embedding is switched off'));
  }

  compareTokens(..._call: Parameters<Embedder['compareTokens']>): Promise<readonly (number | null)[]> {
    return Promise.reject(new ModelUnavailableError('Embedding is switched off'));
  }

  async close(): Promise<void> {}
}
