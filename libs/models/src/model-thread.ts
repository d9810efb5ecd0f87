import type { Worker } from 'node:worker_threads';
import { hasCode } from '#kernel';
import { connect, type Remote, startWorker } from '#threads';
import type { ModelFiles, TextKind } from './bare-model.ts';
import { EmbeddingInterruptedError } from './port.ts';

/** What the thread answers to. Requests are worked off one after the other. */
export type ModelCalls = {
  /** @returns the dimensions. @throws when the model cannot be loaded */
  load(): Promise<number>;
  embed(kind: TextKind, texts: readonly string[]): Promise<Float32Array>;
  unload(): Promise<void>;
};

/** A model on a thread of its own. */
export class ModelThread {
  readonly dimensions: number;
  /** Resolves with the reason once the thread has ended, wanted or not. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #remote: Remote<ModelCalls>;
  #pending = 0;

  /** @throws when the model cannot be loaded: a missing or damaged file, no native library for the platform */
  static async start(files: ModelFiles): Promise<ModelThread> {
    const worker = startWorker(new URL('./model.worker.ts', import.meta.url), files);
    const remote = connect<ModelCalls>(worker);
    try {
      return new ModelThread(worker, remote, await remote.call('load'));
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  private constructor(worker: Worker, remote: Remote<ModelCalls>, dimensions: number) {
    this.#worker = worker;
    this.#remote = remote;
    this.dimensions = dimensions;
    this.ended = new Promise((resolve) => remote.onGone((error) => resolve(error.message)));
  }

  /** Calls that have not been answered. */
  get pending(): number {
    return this.#pending;
  }

  /** Rows one after the other, `texts.length * dimensions` numbers. @throws EmbeddingInterruptedError */
  async embed(kind: TextKind, texts: readonly string[]): Promise<Float32Array> {
    this.#pending++;
    try {
      return await this.#remote.call('embed', kind, texts);
    } catch (error) {
      throw hasCode(error, 'thread_gone') ? new EmbeddingInterruptedError(error.message, { cause: error }) : error;
    } finally {
      this.#pending--;
    }
  }

  /** Ends the thread once it has answered what it was asked before. */
  async close(): Promise<void> {
    // Unloaded first: a thread that is ended inside the native library takes the whole process with it.
    await this.#remote.call('unload').catch(() => {});
    await this.#worker.terminate();
  }
}
