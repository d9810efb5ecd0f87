import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isTransient } from '#platform/kernel';
import { WORK, type WorkMessage } from '../../port.ts';
import { isLogged, pauseAfter, reasonOf, runHandler } from '../../run-handler.ts';
import type { NatsDeadLetters } from './nats-dead-letters.ts';
import type { Presence } from './presence.ts';
import { decodeMessage } from './work-message.ts';
import type { WorkStreams } from './work-streams.ts';

export interface NatsStrategyOptions {
  readonly streams: WorkStreams;
  readonly deadLetters: NatsDeadLetters;
  readonly presence: Presence;
  /** Limit of concurrent handlers of a pattern in this process. */
  readonly atOnce: (pattern: string) => number;
  /** After this time without a heartbeat of this process another one gets the message. Milliseconds. */
  readonly ackWaitMs: number;
}

/** How long the server holds a request for messages. Milliseconds. */
const FETCH_MS = 10_000;
const LONGEST_PAUSE_MS = 5_000;

/** Delivers messages from JetStream to the handlers of this process. Any number of processes share the work. */
export class NatsStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = WORK;
  /** The error of a handler determines the next delivery, and is logged there. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: NatsStrategyOptions;
  readonly #receivers: Receiver[] = [];
  #leave: () => void = () => {};

  constructor(options: NatsStrategyOptions) {
    super();
    this.#options = options;
  }

  listen(callback: () => void): void {
    for (const [pattern, handler] of this.messageHandlers) {
      this.#receivers.push(
        new Receiver(pattern, handler, this.#options, (text, cause) => this.logger.warn(text, cause)),
      );
    }
    this.#leave = this.#options.presence.announce();
    callback();
  }

  /** Accepts no further messages, and resolves when every running handler has ended. */
  async close(): Promise<void> {
    this.#leave();
    await Promise.all(this.#receivers.splice(0).map((receiver) => receiver.close()));
  }

  // Required by Nest's interface; the caller owns the connection.
  on(): never {
    throw new Error('the work strategy has no connection events');
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }
}

interface RunningDelivery {
  /** The newest delivery, which has to be answered. */
  delivery: JsMsg;
  readonly ended: Promise<void>;
}

/** Receives messages of one pattern, up to the limit of concurrent handlers. */
class Receiver {
  readonly #pattern: string;
  readonly #handler: MessageHandler;
  readonly #options: NatsStrategyOptions;
  readonly #warn: (text: string, cause?: unknown) => void;
  /** By subject. */
  readonly #running = new Map<string, RunningDelivery>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #batch: ConsumerMessages | null = null;
  #failures = 0;
  #freed = Promise.withResolvers<void>();

  constructor(
    pattern: string,
    handler: MessageHandler,
    options: NatsStrategyOptions,
    warn: (text: string, cause?: unknown) => void,
  ) {
    this.#pattern = pattern;
    this.#handler = handler;
    this.#options = options;
    this.#warn = warn;
    this.#heartbeat = setInterval(() => this.#sendHeartbeats(), options.ackWaitMs / 3);
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#batch?.stop();
    this.#freed.resolve();
    await this.#ended;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    clearInterval(this.#heartbeat);
  }

  /** Receives until `close`, across outages of the server and deletions of stream and consumer. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { streams, ackWaitMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#receive(await streams.consumer(this.#pattern, ackWaitMs));
      } catch (error) {
        if (signal.aborted) return;
        if (this.#failures === 0)
          this.#warn(`messages of ${this.#pattern} cannot be received, retrying: ${String(error)}`, error);
        this.#failures += 1;
        await pause(Math.min(100 * 2 ** this.#failures, LONGEST_PAUSE_MS), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
  }

  async #receive(consumer: Consumer): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const free = this.#options.atOnce(this.#pattern) - this.#running.size;
      if (free <= 0) {
        await this.#freed.promise;
        continue;
      }
      this.#batch = await consumer.fetch({ max_messages: free, expires: FETCH_MS });
      if (this.#closing.signal.aborted) this.#batch.stop();
      for await (const delivery of this.#batch) this.#accept(delivery);
      this.#batch = null;
      this.#failures = 0;
    }
  }

  #accept(delivery: JsMsg): void {
    // Received during `close`: another process may have it at once.
    if (this.#closing.signal.aborted) {
      this.#answer(() => delivery.nak());
      return;
    }
    const running = this.#running.get(delivery.subject);
    if (running !== undefined) {
      // The server missed heartbeats and delivered the message again; its handler still runs.
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
      if (this.#closing.signal.aborted) {
        this.#answer(() => newest().nak());
        return;
      }
      const wait = pauseAfter(count, error);
      this.#warn(`${subject} is delivered again in ${wait} ms: ${reasonOf(error)}`, error);
      this.#answer(() => newest().nak(wait));
    }
  }

  /**
   * Repeats the handler in this process while its errors are transient, because the server would count each delivery. The
   * heartbeat goes on during the pauses.
   * @throws the first other error, or a transient one when the strategy closes
   */
  async #runHandler(message: WorkMessage, delivery: number, subject: string): Promise<void> {
    const { signal } = this.#closing;
    for (let tries = 1; ; tries += 1) {
      try {
        return await runHandler(this.#handler, this.#pattern, message, delivery, signal);
      } catch (error) {
        if (!isTransient(error) || signal.aborted) throw error;
        const wait = pauseAfter(tries, error);
        if (isLogged(tries, error)) this.#warn(`${subject} is tried again in ${wait} ms: ${reasonOf(error)}`, error);
        await pause(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Returns the message, or why it cannot be read. */
  #read({ subject, data }: JsMsg): WorkMessage | string {
    try {
      const message = decodeMessage(data);
      const expected = this.#options.streams.subjectOf(this.#pattern, message);
      return subject === expected ? message : `its subject must be ${expected}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #sendHeartbeats(): void {
    for (const { delivery } of this.#running.values()) this.#answer(() => delivery.working());
  }

  /** Sends an answer. If it is lost, the message is delivered again. */
  #answer(answer: () => void): void {
    try {
      answer();
    } catch (error) {
      this.#warn(`the answer to a message of ${this.#pattern} could not be sent: ${String(error)}`, error);
    }
  }
}
