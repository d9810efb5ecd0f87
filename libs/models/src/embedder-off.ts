import { type Embedder, type ModelStatus, ModelUnavailableError } from './port.ts';

/** The choice to have no vectors. */
export class EmbedderOff implements Embedder {
  status(): ModelStatus {
    return { state: 'off' };
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
