import type { NatsConnection } from '@nats-io/nats-core';
import { newId } from '#kernel';

export interface PresenceOptions {
  readonly connection: NatsConnection;
  /** First token of the subjects. */
  readonly prefix: string;
  /** Milliseconds between two signs of life of a process that handles work. */
  readonly everyMs: number;
}

/** Signs that may get lost, or come late from a process that is busy, before it counts as gone. */
const SIGNS_MISSED = 3.5;

/**
 * Who handles work tells so again and again, by plain messages that nobody keeps: it is only a measure of how much may be
 * in flight, and what the server's consumers tell is no such measure (a process whose handlers are all busy waits for
 * nothing there).
 */
export class Presence {
  readonly #options: PresenceOptions;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** This process handles work until the answered function is called. */
  show(): () => void {
    const { everyMs } = this.#options;
    const me = newId();
    this.#tell('here', me);
    const timer = setInterval(() => this.#tell('here', me), everyMs);
    return () => {
      clearInterval(timer);
      this.#tell('gone', me);
    };
  }

  /** @see MessageBus.watchWorkers */
  watch(onCount: (count: number) => void, signal: AbortSignal): void {
    const { connection, everyMs } = this.#options;
    const heardAt = new Map<string, number>();
    let told = 1;
    onCount(told);
    const tell = (): void => {
      const count = Math.max(1, heardAt.size);
      if (count === told || signal.aborted) return;
      told = count;
      onCount(count);
    };
    const subscription = connection.subscribe(this.#subject('*', '*'), {
      callback: (error, { subject }) => {
        if (error !== null) return;
        const [id, sign] = subject.split('.').reverse() as [string, string];
        if (sign === 'here') heardAt.set(id, performance.now());
        else heardAt.delete(id);
        tell();
      },
    });
    const timer = setInterval(() => {
      const oldest = performance.now() - SIGNS_MISSED * everyMs;
      for (const [id, at] of heardAt) if (at < oldest) heardAt.delete(id);
      tell();
    }, everyMs);
    const end = (): void => {
      clearInterval(timer);
      subscription.unsubscribe();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  }

  #subject(sign: string, id: string): string {
    return `${this.#options.prefix}.workers.${sign}.${id}`;
  }

  #tell(sign: 'here' | 'gone', id: string): void {
    const { connection } = this.#options;
    // One that is not told counts as gone soon, and is told again.
    if (!connection.isClosed() && !connection.isDraining()) connection.publish(this.#subject(sign, id));
  }
}
