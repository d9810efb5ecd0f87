import { setTimeout as pause } from 'node:timers/promises';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { giveWayToRequests, isTransient } from '#kernel';
import { type MessageBus, WORK, type WorkMessage } from '../../port.ts';
import { isLogged, pauseAfter, reasonOf, runHandler } from '../../run-handler.ts';

/**
 * A Nest transport inside the process. Messages are not durable: all work follows from the event log, and is dispatched again
 * after a crash.
 */
export class InProcessBus extends Server implements CustomTransportStrategy, MessageBus {
  override readonly transportId = WORK;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, Promise<void>>();

  listen(callback: () => void): void {
    callback();
  }

  async publish(pattern: string, message: WorkMessage): Promise<void> {
    const key = keyOf(pattern, message);
    if (this.#closing.signal.aborted || this.#running.has(key)) return;
    this.#running.set(
      key,
      this.#deliver(pattern, message).finally(() => this.#running.delete(key)),
    );
  }

  async inProgress(pattern: string, message: WorkMessage): Promise<boolean> {
    return this.#running.has(keyOf(pattern, message));
  }

  watchWorkers(onCount: (count: number) => void): void {
    onCount(1);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  // Required by Nest's interface; there is no connection.
  on(): never {
    throw new Error('the in-process bus has no connection events');
  }

  unwrap<T>(): T {
    return this as unknown as T;
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
          this.logger.warn(`${pattern} of ${message.documentId} is delivered again in ${wait} ms: ${reasonOf(error)}`);
        }
        await pause(wait, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

function keyOf(pattern: string, { organization, documentId, contentVersion }: WorkMessage): string {
  return `${pattern} ${organization} ${documentId} ${contentVersion}`;
}
