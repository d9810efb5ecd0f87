import { FetchFailedError, translated } from './errors.ts';

export interface PatienceOptions {
  readonly caller: AbortSignal;
  /** Milliseconds of one wait. */
  readonly idle: number;
  /** Milliseconds of all. */
  readonly timeout: number;
}

/** How long a request is waited for. A reader that takes its time does not end it, a connection that is silent does. */
export class Patience {
  /** Aborts when the caller gives up or the time is over. */
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal;
  readonly #idle: number;
  readonly #silence = new AbortController();
  readonly #end: AbortSignal;

  constructor({ caller, idle, timeout }: PatienceOptions) {
    this.#caller = caller;
    this.#idle = idle;
    this.#end = AbortSignal.any([this.#silence.signal, AbortSignal.timeout(timeout)]);
    this.signal = AbortSignal.any([caller, this.#end]);
  }

  /** @throws the reason of the caller's signal; FetchFailedError, which is temporary: the same request may succeed later */
  async wait<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#silence.abort(new DOMException('No answer', 'TimeoutError')), this.#idle);
    try {
      return await work;
    } catch (error) {
      throw this.#caller.aborted ? this.#caller.reason : temporary(translated(error, this.#end.aborted));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Yields what comes from a connection, and ends it after a silence. */
  async *paced(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const pieces = bytes[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { value, done } = await this.wait(pieces.next());
        if (done) return;
        yield value;
      }
    } finally {
      await pieces.return?.();
    }
  }
}

function temporary(error: unknown): unknown {
  return error instanceof FetchFailedError && !error.isTemporary
    ? new FetchFailedError(error.message, { isTemporary: true, cause: error.cause })
    : error;
}
