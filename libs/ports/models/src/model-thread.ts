import type { Worker } from 'node:worker_threads';
import { hasCode } from '#platform/kernel';
import { connect, type Remote, startWorker } from '#platform/thread-calls';
import type { ModelFiles, TextKind, Window } from './bare-model.ts';
import { EmbeddingInterruptedError } from './port.ts';
import type { JoinedRows } from './tokens/token-rows.ts';

/** Vectors, one row for each text, and the tokens of each text from the same passes. */
export interface EmbeddedWithTokens {
  readonly vectors: Float32Array;
  readonly tokens: JoinedRows;
}

/** Calls of the thread, executed in sequence. */
export type ModelCalls = {
  /** Returns the dimensions. @throws Error if the model cannot be loaded */
  load(): Promise<number>;
  embed(kind: TextKind, texts: readonly string[]): Promise<Float32Array>;
  embedWindows(windows: readonly Window[]): Promise<Float32Array>;
  embedWithTokens(windows: readonly Window[]): Promise<EmbeddedWithTokens>;
  /** Returns the short vectors of a question's tokens, in rows. Not in sequence: goes before what waits. */
  questionTokens(text: string): Promise<Float32Array>;
  /** Returns how well a passage answers these tokens (`maxSim`). Not in sequence: goes before what waits. */
  compareTokens(question: Float32Array, passage: string): Promise<number>;
  unload(): Promise<void>;
};

/** A model on a thread of its own. */
export class ModelThread {
  readonly dimensions: number;
  /** Resolves with the reason when the thread has ended, also after `close`. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #remote: Remote<ModelCalls>;
  #pending = 0;

  /** @throws Error if the model cannot be loaded: a missing or damaged file, no native library for the platform */
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

  /** Number of unanswered calls. */
  get pending(): number {
    return this.#pending;
  }

  /** Returns the rows in one array: `texts.length * dimensions` numbers. @throws EmbeddingInterruptedError */
  embed(kind: TextKind, texts: readonly string[]): Promise<Float32Array> {
    return this.#made(this.#remote.call('embed', kind, texts));
  }

  /** Returns one row for each text of the windows in one array. @throws EmbeddingInterruptedError */
  embedWindows(windows: readonly Window[]): Promise<Float32Array> {
    return this.#made(this.#remote.call('embedWindows', windows));
  }

  /** The same with the tokens of each text. @throws EmbeddingInterruptedError */
  embedWithTokens(windows: readonly Window[]): Promise<EmbeddedWithTokens> {
    return this.#made(this.#remote.call('embedWithTokens', windows));
  }

  /** @throws EmbeddingInterruptedError */
  questionTokens(text: string): Promise<Float32Array> {
    return this.#made(this.#remote.call('questionTokens', text));
  }

  /** @throws EmbeddingInterruptedError */
  compareTokens(question: Float32Array, passage: string): Promise<number> {
    return this.#made(this.#remote.call('compareTokens', question, passage));
  }

  async #made<T>(call: Promise<T>): Promise<T> {
    this.#pending++;
    try {
      return await call;
    } catch (error) {
      throw hasCode(error, 'thread_gone') ? new EmbeddingInterruptedError(error.message, { cause: error }) : error;
    } finally {
      this.#pending--;
    }
  }

  /** Ends the thread after its pending calls. */
  async close(): Promise<void> {
    // Unloaded first, because ending a thread inside the native library would end the whole process.
    await this.#remote.call('unload').catch(() => {});
    await this.#worker.terminate();
  }
}
