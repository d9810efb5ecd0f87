import type { Embedder, ModelStatus, Window } from '#ports/models';
import { vectorOf } from './vectors.ts';

/** Stands in for a model: deterministic, ready at once, and without cost. */
export class StandInEmbedder implements Embedder {
  readonly comparesTokens = false;
  readonly #space: string;

  constructor(space: string) {
    this.#space = space;
  }

  status(): ModelStatus {
    return { state: 'ready', space: { name: this.#space, dimensions: vectorOf('').length } };
  }

  onStatus(): () => void {
    return () => {};
  }

  async embedQuestion(text: string): Promise<Float32Array> {
    return vectorOf(text);
  }

  async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return texts.map(vectorOf);
  }

  async embedWindows(windows: readonly Window[]): Promise<readonly (readonly Float32Array[])[]> {
    return windows.map((texts) => texts.map(vectorOf));
  }

  compareTokens(): Promise<never> {
    return Promise.reject(new Error('a stand-in has no tokens'));
  }

  async close(): Promise<void> {}
}
