import { connect, type Methods, type Remote } from './calls.ts';
import { startWorker } from './worker.ts';

/** A thread that answers calls, or a connection to one. */
export interface RunningThread<Api> {
  readonly remote: Remote<Api>;
  /** Call it when no call is pending. */
  end(): Promise<void>;
}

/**
 * A thread that starts with the first call, and again with the first call after it was lost, e.g. for lack of memory. Calls
 * during the loss reject with ThreadGoneError.
 */
export class RestartableThread<Api> {
  readonly #start: () => Promise<RunningThread<Api>>;
  readonly #onLost: (message: string) => void;
  #running: Promise<RunningThread<Api>> | null = null;

  /** @param onLost called when the thread has ended before `close` */
  constructor(start: () => Promise<RunningThread<Api>>, onLost: (message: string) => void = () => {}) {
    this.#start = start;
    this.#onLost = onLost;
  }

  /** Rejects with the error of the start, which the next call repeats. */
  async remote(): Promise<Remote<Api>> {
    this.#running ??= this.#started();
    return (await this.#running).remote;
  }

  /** Ends the thread if it runs. @param last called before */
  async close(last: (remote: Remote<Api>) => Promise<void> = async () => {}): Promise<void> {
    if (this.#running === null) return;
    const { remote, end } = await this.#running;
    this.#running = null;
    await last(remote);
    await end();
  }

  #started(): Promise<RunningThread<Api>> {
    const starting = this.#start();
    const forget = () => {
      if (this.#running !== starting) return false;
      this.#running = null;
      return true;
    };
    starting.then(
      ({ remote }) =>
        remote.onGone(({ message }) => {
          if (forget()) this.#onLost(message);
        }),
      // The next call tries again, e.g. after a full disk.
      forget,
    );
    return starting;
  }
}

/**
 * Starts a thread and makes the first call, which shows whether it works.
 * @param source as of `startWorker`
 * @throws what the first call throws
 */
export async function startThread<Api extends Methods<Api>>(
  source: URL,
  workerData: unknown,
  firstCall: (remote: Remote<Api>) => Promise<unknown>,
): Promise<RunningThread<Api>> {
  const worker = startWorker(source, workerData);
  const remote = connect<Api>(worker);
  const end = async () => {
    remote.close();
    await worker.terminate();
  };
  try {
    await firstCall(remote);
    return { remote, end };
  } catch (error) {
    await end();
    throw error;
  }
}
