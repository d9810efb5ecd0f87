import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isTransient } from '#kernel';
import { WORK, type WorkMessage } from '../../port.ts';
import { pauseAfter, runHandler } from '../../run-handler.ts';
import type { NatsDeadLetters } from './nats-dead-letters.ts';
import type { Presence } from './presence.ts';
import { decodeMessage } from './work-message.ts';
import type { WorkStreams } from './work-streams.ts';

export interface NatsStrategyOptions {
  readonly streams: WorkStreams;
  readonly deadLetters: NatsDeadLetters;
  readonly presence: Presence;
  /** Messages of this pattern that are handled at once in this process. */
  readonly atOnce: (pattern: string) => number;
  /** Milliseconds without a sign of life of the process after which another gets the message. */
  readonly ackWaitMs: number;
}

/** Milliseconds for which the server keeps a request for messages. */
const REQUEST_MS = 10_000;
const LONGEST_PAUSE_MS = 5_000;

/** The handlers of a process, fed from JetStream; any number of processes share the work. */
export class NatsStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = WORK;
  /** What a handler throws decides about the next delivery, and is logged there. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: NatsStrategyOptions;
  readonly #takers: Taker[] = [];
  #leave: () => void = () => {};

  constructor(options: NatsStrategyOptions) {
    super();
    this.#options = options;
  }

  listen(callback: () => void): void {
    for (const [pattern, handler] of this.messageHandlers) {
      this.#takers.push(new Taker(pattern, handler, this.#options, (text) => this.logger.warn(text)));
    }
    this.#leave = this.#options.presence.show();
    callback();
  }

  /** Takes nothing new, and resolves when every running handler is through. */
  async close(): Promise<void> {
    this.#leave();
    await Promise.all(this.#takers.splice(0).map((taker) => taker.close()));
  }

  // Part of Nest's contract for strategies; the connection belongs to whoever made it.
  on(): never {
    throw new Error('the work strategy shows no connection events');
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }
}

interface Running {
  /** Its newest delivery, which is the one to answer. */
  delivery: JsMsg;
  readonly ended: Promise<void>;
}

/** Takes messages of one pattern, as many as there are handlers free. */
class Taker {
  readonly #pattern: string;
  readonly #handler: MessageHandler;
  readonly #options: NatsStrategyOptions;
  readonly #warn: (text: string) => void;
  /** By subject. */
  readonly #running = new Map<string, Running>();
  readonly #signs: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #batch: ConsumerMessages | null = null;
  #failures = 0;
  #freed = Promise.withResolvers<void>();

  constructor(pattern: string, handler: MessageHandler, options: NatsStrategyOptions, warn: (text: string) => void) {
    this.#pattern = pattern;
    this.#handler = handler;
    this.#options = options;
    this.#warn = warn;
    this.#signs = setInterval(() => this.#showLife(), options.ackWaitMs / 3);
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#batch?.stop();
    this.#freed.resolve();
    await this.#ended;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    clearInterval(this.#signs);
  }

  /** Goes on through everything that may happen to the server, the stream and the consumer. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { streams, ackWaitMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#take(await streams.consumer(this.#pattern, ackWaitMs));
      } catch (error) {
        if (signal.aborted) return;
        if (this.#failures === 0) this.#warn(`no work of ${this.#pattern} comes in for now: ${String(error)}`);
        this.#failures += 1;
        await pause(Math.min(100 * 2 ** this.#failures, LONGEST_PAUSE_MS), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
  }

  async #take(consumer: Consumer): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const free = this.#options.atOnce(this.#pattern) - this.#running.size;
      if (free <= 0) {
        await this.#freed.promise;
        continue;
      }
      this.#batch = await consumer.fetch({ max_messages: free, expires: REQUEST_MS });
      if (this.#closing.signal.aborted) this.#batch.stop();
      for await (const delivery of this.#batch) this.#accept(delivery);
      this.#batch = null;
      this.#failures = 0;
    }
  }

  #accept(delivery: JsMsg): void {
    // It came in on the way out: somebody else may have it at once.
    if (this.#closing.signal.aborted) {
      this.#answer(() => delivery.nak());
      return;
    }
    const running = this.#running.get(delivery.subject);
    if (running !== undefined) {
      // The server took this process for dead meanwhile; it is still at it.
      running.delivery = delivery;
      this.#answer(() => delivery.working());
      return;
    }
    const ended = this.#handle(delivery).finally(() => {
      this.#running.delete(delivery.subject);
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    });
    this.#running.set(delivery.subject, { delivery, ended });
  }

  async #handle(first: JsMsg): Promise<void> {
    const { subject } = first;
    const count = first.info.deliveryCount;
    const newest = () => this.#running.get(subject)?.delivery ?? first;
    try {
      const message = this.#read(first);
      if (typeof message === 'string') {
        await this.#options.deadLetters.add(this.#pattern, first, message);
        this.#warn(`a message on ${subject} cannot be read and is a dead letter now: ${message}`);
        this.#answer(() => newest().term());
        return;
      }
      await this.#runHandler(message, count, subject);
      this.#answer(() => newest().ack());
    } catch (error) {
      const wait = pauseAfter(count, error);
      this.#warn(`${subject} is delivered again in ${wait} ms: ${String(error)}`);
      this.#answer(() => newest().nak(wait));
    }
  }

  /**
   * Repeats the handler here while its errors are transient: the server would count each delivery. While it waits, the
   * server gets signs of life.
   * @throws the first other error, or a transient one when the strategy closes
   */
  async #runHandler(message: WorkMessage, delivery: number, subject: string): Promise<void> {
    const { signal } = this.#closing;
    for (let tries = 1; ; tries += 1) {
      try {
        return await runHandler(this.#handler, this.#pattern, message, delivery);
      } catch (error) {
        if (!isTransient(error) || signal.aborted) throw error;
        const wait = pauseAfter(tries, error);
        this.#warn(`${subject} is tried again in ${wait} ms: ${String(error)}`);
        await pause(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw error;
      }
    }
  }

  /** The message, or why it is none. */
  #read({ subject, data }: JsMsg): WorkMessage | string {
    try {
      const message = decodeMessage(data);
      const expected = this.#options.streams.subjectOf(this.#pattern, message);
      return subject === expected ? message : `it belongs on ${expected}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #showLife(): void {
    for (const { delivery } of this.#running.values()) this.#answer(() => delivery.working());
  }

  /** An answer that gets lost only means another delivery. */
  #answer(answer: () => void): void {
    try {
      answer();
    } catch (error) {
      this.#warn(`the answer to a message of ${this.#pattern} could not be sent: ${String(error)}`);
    }
  }
}
