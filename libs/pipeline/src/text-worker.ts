import type { Worker } from 'node:worker_threads';
import type { ExtractedDocument, Source } from '#extraction';
import { hasCode } from '#kernel';
import { connect, type Remote, startWorker } from '#threads';
import type { TextWorkerApi } from './text.worker.ts';

/** Memory that one document may take to be read, MiB; beyond it the thread ends and the attempt has failed. */
const MEMORY_MB = 2_048;
const TIMEOUT_MS = 120_000;

/**
 * Reads long or foreign texts in a thread of its own, with limits on memory and time. The thread starts with the first
 * text and is replaced when a text brings it down.
 */
export class TextWorker {
  #running: { readonly worker: Worker; readonly remote: Remote<TextWorkerApi> } | null = null;

  extract(source: Source): Promise<ExtractedDocument> {
    return this.#limited((remote) => remote.call('extract', source));
  }

  split(text: string): Promise<Pick<ExtractedDocument, 'chunks' | 'memories'>> {
    return this.#limited((remote) => remote.call('split', text));
  }

  async close(): Promise<void> {
    await this.#end();
  }

  async #limited<T>(call: (remote: Remote<TextWorkerApi>) => Promise<T>): Promise<T> {
    const { remote } = this.#running ?? this.#start();
    const answer = Promise.withResolvers<T>();
    const timer = setTimeout(() => {
      answer.reject(new TextTimeoutError(`a text was not read within ${TIMEOUT_MS / 1000} s`));
      void this.#end();
    }, TIMEOUT_MS);
    call(remote).then(answer.resolve, (error: Error) =>
      // The end of this thread is the text's doing, so it is not transient.
      answer.reject(
        hasCode(error, 'thread_gone') ? new TextTooLargeError('a text took more memory than it may') : error,
      ),
    );
    try {
      return await answer.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #start() {
    const worker = startWorker(new URL('./text.worker.ts', import.meta.url), undefined, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const running = { worker, remote: connect<TextWorkerApi>(worker) };
    worker.unref();
    running.remote.onGone(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.remote.close();
    await running?.worker.terminate();
  }
}

/** A text could not be read in the time that it may take. */
export class TextTimeoutError extends Error {
  override readonly name = 'TextTimeoutError';
}

/** A text could not be read in the memory that it may take. */
export class TextTooLargeError extends Error {
  override readonly name = 'TextTooLargeError';
}
