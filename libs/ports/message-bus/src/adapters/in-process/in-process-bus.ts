import { setTimeout as pause } from 'node:timers/promises';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { giveWayToRequests, isTransient } from '#platform/kernel';
import { type MessageBus, WORK, type WorkMessage } from '../../port.ts';
import { isLogged, pauseAfter, reasonOf, runHandler } from '../../run-handler.ts';

/**
 * A Nest transport inside the process. Messages are not durable: all work follows from the event log, and is dispatched again
 * after a crash.
 */
export class InProcessBus extends Server implements CustomTransportStrategy, MessageBus {
  override readonly transportId = WORK;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, PendingWork>();

  listen(callback: () => void): void {
    callback();
  }

  async publish(pattern: string, message: WorkMessage): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const running = this.#running.get(keyOf(pattern, message));
    if (running === undefined) this.#start(pattern, message);
    else if (isOfLaterEvent(message, running.message)) running.next = message;
  }

  async inProgress(pattern: string, message: WorkMessage): Promise<boolean> {
    return this.#running.has(keyOf(pattern, message));
  }

  watchWorkers(onCount: (count: number) => void): void {
    onCount(1);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#running.values(), ({ done }) => done));
  }

  // Required by Nest's interface; there is no connection.
  on(): never {
    throw new Error('the in-process bus has no connection events');
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }

  #start(pattern: string, message: WorkMessage): void {
    const key = keyOf(pattern, message);
    const running: PendingWork = { message, next: null, done: Promise.resolve() };
    this.#running.set(key, running);
    running.done = this.#deliver(pattern, message).finally(() => {
      this.#running.delete(key);
      if (running.next !== null && !this.#closing.signal.aborted) this.#start(pattern, running.next);
    });
  }

  async #deliver(pattern: string, message: WorkMessage): Promise<void> {
    // Patterns are plain text. Nest's own lookup would parse each one as a route.
    const handler = this.messageHandlers.get(pattern);
    if (handler === undefined) throw new Error(`no handler for the pattern ${pattern}`);
    // Many messages may be published at once.
    await giveWayToRequests();
    let delivery = 1;
    for (let tries = 1; !this.#closing.signal.aborted; tries += 1) {
      try {
        return await runHandler(handler, pattern, message, delivery, this.#closing.signal);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        if (!isTransient(error)) delivery += 1;
        const wait = pauseAfter(tries, error);
        if (isLogged(tries, error)) {
          this.logger.warn(
            `${pattern} of ${message.documentId} is delivered again in ${wait} ms: ${reasonOf(error)}`,
            error,
          );
        }
        await pause(wait, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

/** Work that waits for its handler or is being handled. */
interface PendingWork {
  readonly message: WorkMessage;
  /** Delivered after this one, whose handler may be about to end, e.g. if a failed document is restarted at once. */
  next: WorkMessage | null;
  done: Promise<void>;
}

function isOfLaterEvent({ cause }: WorkMessage, running: WorkMessage): boolean {
  return cause !== null && (running.cause === null || cause.revision > running.cause.revision);
}

function keyOf(pattern: string, { organization, documentId, contentVersion }: WorkMessage): string {
  return `${pattern} ${organization} ${documentId} ${contentVersion}`;
}
