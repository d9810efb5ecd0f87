import type { NatsConnection } from '@nats-io/nats-core';
import { newId } from '#platform/kernel';

export interface PresenceOptions {
  readonly connection: NatsConnection;
  /** First token of the subjects. */
  readonly prefix: string;
  /** Between two announcements of a worker. Milliseconds. */
  readonly everyMs: number;
}

/** Missed announcements after which a worker counts as gone. Announcements may be lost, or late if a process is busy. */
const MISSED_ANNOUNCEMENTS = 3.5;

/**
 * Counts the processes that handle work. Each announces itself regularly by messages that are not stored, because the count
 * only limits how much may be in flight. The server's consumers cannot be counted instead: a process whose handlers are all
 * busy does not wait there.
 */
export class Presence {
  readonly #options: PresenceOptions;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Announces this process as a worker until the returned function is called. */
  announce(): () => void {
    const { everyMs } = this.#options;
    const me = newId();
    this.#send('here', me);
    const timer = setInterval(() => this.#send('here', me), everyMs);
    return () => {
      clearInterval(timer);
      this.#send('gone', me);
    };
  }

  /** @see MessageBus.watchWorkers */
  watch(onCount: (count: number) => void, signal: AbortSignal): void {
    const { connection, everyMs } = this.#options;
    const seenAt = new Map<string, number>();
    let reported = 1;
    onCount(reported);
    const report = (): void => {
      const count = Math.max(1, seenAt.size);
      if (count === reported || signal.aborted) return;
      reported = count;
      onCount(count);
    };
    const subscription = connection.subscribe(this.#subject('*', '*'), {
      callback: (error, { subject }) => {
        if (error !== null) return;
        const [id, sign] = subject.split('.').reverse() as [string, string];
        if (sign === 'here') seenAt.set(id, performance.now());
        else seenAt.delete(id);
        report();
      },
    });
    const timer = setInterval(() => {
      const oldest = performance.now() - MISSED_ANNOUNCEMENTS * everyMs;
      for (const [id, at] of seenAt) if (at < oldest) seenAt.delete(id);
      report();
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

  #send(sign: 'here' | 'gone', id: string): void {
    const { connection } = this.#options;
    // A lost announcement is made up for by the next one.
    if (!connection.isClosed() && !connection.isDraining()) connection.publish(this.#subject(sign, id));
  }
}
