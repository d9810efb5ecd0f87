import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { type ErrorRecord, errorFromRecord, errorRecord, mnemeError } from '#platform/kernel';

/**
 * Typed calls between threads. A message costs far more than its content, so both sides batch: the calls of one tick are
 * one message, and so are the answers that are ready together.
 *
 * A message is a flat array of triples:
 *   request  [id, method, args, id, method, args, …]
 *   answer   [id, ANSWER, value, id, FAULT, error record, 0, topic, value, …]   (id 0: a notice)
 */
const ANSWER = 0;
const FAULT = 1;
const NOTICE_ID = 0;

/** The calls that a thread answers: an object of functions, as seen from outside. */
export type Methods<Api> = { readonly [M in keyof Api]: (...args: never[]) => unknown };

type ArgsOf<F> = F extends (...args: infer A) => unknown ? A : never;
type AnswerOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

export interface Served {
  /** Sends a notice, which answers no call. */
  notify(topic: string, value: unknown): void;
}

export interface Remote<Api> {
  /**
   * Rejects with what the handler threw (see `errorRecord`), or with ThreadGoneError when the thread or the port ends
   * before it answered.
   */
  call<M extends keyof Api & string>(method: M, ...args: ArgsOf<Api[M]>): Promise<AnswerOf<Api[M]>>;
  /** Like `call`; `transfer` lists the ports and buffers in `args` that move instead of being copied. */
  callTransferring<M extends keyof Api & string>(
    transfer: readonly Transferable[],
    method: M,
    ...args: ArgsOf<Api[M]>
  ): Promise<AnswerOf<Api[M]>>;
  /** Returns the function that removes the listener. */
  onNotice(listener: (topic: string, value: unknown) => void): () => void;
  /** Calls the listener once when the other side has ended, also after `close`; immediately if it has ended already. */
  onGone(listener: (error: ThreadGoneError) => void): void;
  /** Rejects pending calls. Closes a MessagePort; the owner of a Worker ends it. */
  close(): void;
}

/** The thread that was called has ended, or its port was closed. The owner of the job decides what this means for it. */
export class ThreadGoneError extends mnemeError('transient', 'thread_gone') {}

class Transferring {
  readonly value: unknown;
  readonly transfer: readonly Transferable[];

  constructor(value: unknown, transfer: readonly Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

/** Wraps an answer whose buffers or ports move to the caller instead of being copied. */
export function transferring<T>(value: T, transfer: readonly Transferable[]): T {
  return new Transferring(value, transfer) as T;
}

/** Collects triples, and sends them as one message after the current tick and its promise reactions. */
class Outbox {
  readonly #port: MessagePort | Worker;
  readonly #refused: (id: number, error: Error) => void;
  #triples: unknown[] = [];
  #transfer: Transferable[] = [];

  constructor(port: MessagePort | Worker, refused: (id: number, error: Error) => void) {
    this.#port = port;
    this.#refused = refused;
  }

  add(id: number, second: unknown, third: unknown, transfer: readonly Transferable[] = []): void {
    if (this.#triples.length === 0) queueMicrotask(() => process.nextTick(() => this.#send()));
    this.#triples.push(id, second, third);
    this.#transfer.push(...transfer);
  }

  #send(): void {
    const triples = this.#triples;
    const transfer = this.#transfer;
    this.#triples = [];
    this.#transfer = [];
    try {
      this.#port.postMessage(triples, transfer);
    } catch {
      // A value that cannot be cloned must not fail the other calls of its message.
      for (let i = 0; i < triples.length; i += 3) this.#sendAlone(triples.slice(i, i + 3), transfer);
    }
  }

  #sendAlone(triple: unknown[], transfer: readonly Transferable[]): void {
    try {
      this.#port.postMessage(triple, [...transfer]);
    } catch (error) {
      this.#refused(triple[0] as number, error as Error);
    }
  }
}

/**
 * Answers the calls that arrive at a port, each as soon as its handler is done, in any order.
 * @param handlers their errors are sent to the caller
 */
export function serve<Api extends Methods<Api>>(port: MessagePort, handlers: Api): Served {
  const outbox = new Outbox(port, (id, error) => {
    if (id !== NOTICE_ID) fail(id, error);
  });

  const succeed = (id: number, value: unknown): void => {
    if (value instanceof Transferring) outbox.add(id, ANSWER, value.value, value.transfer);
    else outbox.add(id, ANSWER, value);
  };
  const fail = (id: number, error: unknown): void => outbox.add(id, FAULT, errorRecord(error));

  port.on('message', (calls: unknown[]) => {
    for (let i = 0; i < calls.length; i += 3) {
      const id = calls[i] as number;
      const method = calls[i + 1] as string;
      try {
        if (!Object.hasOwn(handlers, method)) throw new TypeError(`This thread has no method '${method}'`);
        const handler = handlers[method as keyof Api] as unknown as (...args: unknown[]) => unknown;
        const answer = handler(...(calls[i + 2] as unknown[]));
        if (isThenable(answer)) answer.then(succeed.bind(null, id), fail.bind(null, id));
        else succeed(id, answer);
      } catch (error) {
        fail(id, error);
      }
    }
  });

  return { notify: (topic, value) => outbox.add(NOTICE_ID, topic, value) };
}

/** Answers every call with the same error: for a thread that cannot open what it serves. */
export function serveError(port: MessagePort, error: unknown): void {
  const record = errorRecord(error);
  port.on('message', (calls: unknown[]) => {
    const answers: unknown[] = [];
    for (let i = 0; i < calls.length; i += 3) answers.push(calls[i], FAULT, record);
    port.postMessage(answers);
  });
}

/** The calling side of a thread that runs `serve`. */
export function connect<Api extends Methods<Api>>(port: MessagePort | Worker): Remote<Api> {
  type Pending = { resolve(value: unknown): void; reject(error: Error): void };
  const pending = new Map<number, Pending>();
  const noticeListeners = new Set<(topic: string, value: unknown) => void>();
  const goneListeners = new Set<(error: ThreadGoneError) => void>();
  let lastId = NOTICE_ID;
  let gone: ThreadGoneError | null = null;
  let crash: unknown;

  const settle = (id: number, act: (call: Pending) => void): void => {
    const call = pending.get(id);
    pending.delete(id);
    if (call) act(call);
  };
  const outbox = new Outbox(port, (id, error) => settle(id, (call) => call.reject(error)));

  const leave = (message: string): void => {
    if (gone) return;
    gone = new ThreadGoneError(message, { cause: crash });
    for (const call of pending.values()) call.reject(gone);
    pending.clear();
    for (const listener of goneListeners) listener(gone);
    goneListeners.clear();
  };

  port.on('message', (triples: unknown[]) => {
    for (let i = 0; i < triples.length; i += 3) {
      const id = triples[i] as number;
      const value = triples[i + 2];
      if (id === NOTICE_ID) for (const listener of noticeListeners) listener(triples[i + 1] as string, value);
      else if (triples[i + 1] === ANSWER) settle(id, (call) => call.resolve(value));
      else settle(id, (call) => call.reject(errorFromRecord(value as ErrorRecord)));
    }
  });
  if (isWorker(port)) {
    port.on('error', (error) => {
      crash = error;
    });
    port.on('exit', (code) => {
      const reason = crash === undefined ? '' : `: ${errorRecord(crash).message}`;
      leave(`The worker thread ended with code ${code}${reason}`);
    });
  } else {
    port.on('close', () => leave('The port to the thread was closed'));
  }

  const send = (transfer: readonly Transferable[], method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      outbox.add(id, method, args, transfer);
    });

  return {
    call: (method, ...args) => send([], method, args) as never,
    callTransferring: (transfer, method, ...args) => send(transfer, method, args) as never,
    onNotice: (listener) => {
      noticeListeners.add(listener);
      return () => noticeListeners.delete(listener);
    },
    onGone: (listener) => {
      if (gone) listener(gone);
      else goneListeners.add(listener);
    },
    close: () => {
      leave('The connection to the thread was closed');
      if (!isWorker(port)) port.close();
    },
  };
}

/** Checked by shape: in a test runner the port may belong to another realm than this module. */
function isWorker(port: MessagePort | Worker): port is Worker {
  return 'threadId' in port;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
