import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Client, ServiceError } from '@grpc/grpc-js';
import { hasCode, withoutCredentials } from '#platform/kernel';
import { EventStoreUnreachableError } from '../../errors.ts';
import type { Access } from './access.ts';
import { type AppendAnswer, BatchStream } from './batch-stream.ts';
import { type Action, type Arguments, type Call, Driver, type Service } from './driver.ts';
import { DEFAULT_PATIENCE_MS, type Outage } from './outage.ts';
import { accessOf, type EventProposal, newestOfAllRequest, type RecordedMessage } from './requests.ts';
import { TICK_MS } from './silence.ts';
import { WaitingCalls } from './waiting-calls.ts';

export interface Subscriber {
  /** The subscription is active: every later event is delivered. */
  onConfirmed(): void;
  onEvent(event: RecordedMessage): void;
}

type Grpc = InstanceType<typeof StreamsClient>;

/** The connection of one client to the database: single calls, and their repetition in outages. */
export class Connection {
  readonly #address: string;
  readonly #patience: number;
  readonly #driver: Driver;
  readonly #waiting: WaitingCalls;
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;
  #batch: BatchStream | null = null;
  #batchClient: Client | null = null;

  /** @throws InvalidEventStoreUrlError */
  constructor(url: string, patience = DEFAULT_PATIENCE_MS) {
    this.#address = withoutCredentials(url);
    this.#patience = patience;
    const { closing } = this;
    this.#driver = new Driver(url, this.#address, closing);
    const unreachable = (cause: unknown) => this.#unreachable(cause);
    this.#waiting = new WaitingCalls({ outage: this.outage, closing, unreachable });
    this.#timer = setInterval(() => this.#look(), TICK_MS).unref();
  }

  /** Aborts when `close` is called. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get outage(): Outage {
    return this.#driver.outage;
  }

  /** Aborts with the signal, or when `close` is called. */
  closingOr(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.closing]);
  }

  /**
   * Repeats with growing pauses while the server does not answer, until the call or the outage has lasted for the patience.
   * @param patience milliseconds. Default: that of the connection
   * @throws EventStoreUnreachableError
   */
  retry<T>(attempt: () => Promise<T>, patience = this.#patience): Promise<T> {
    return this.#waiting.retry(attempt, patience);
  }

  /**
   * Repeats with growing pauses for as long as the server does not answer.
   * @param signal made by `closingOr`
   */
  retryUntil<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    return this.#waiting.retryUntil(signal, attempt);
  }

  /** Returns null if there is no such stream. @throws RangeError for a position that is not in this log */
  read(request: ReadReq): Promise<RecordedMessage[] | null> {
    return this.#onStreams(
      (client) =>
        new Promise((resolve, reject) => {
          let events: RecordedMessage[] | null = [];
          const call = this.#driver.begin(client.read(request, ...this.#driver.arguments()));
          call.on('data', (answer: ReadResp) => {
            this.#driver.onData();
            const event = answer.getEvent()?.getEvent();
            if (event) events?.push(event);
            else if (answer.hasStreamNotFound()) events = null;
          });
          call.on('error', (error) => reject(isForeignPosition(error) ? new RangeError(error.message) : error));
          call.on('end', () => resolve(events));
        }),
      accessOf(request),
    );
  }

  /** Delivers events until the subscription fails or the connection is closed, then rejects. */
  subscribe(request: ReadReq, subscriber: Subscriber): Promise<never> {
    return this.#onStreams(
      (client, onAnswer) =>
        new Promise((_, reject) => {
          const call = this.#driver.begin(client.read(request, ...this.#driver.arguments()));
          call.on('data', (answer: ReadResp) => {
            this.#driver.onData();
            const event = answer.getEvent()?.getEvent();
            if (event) subscriber.onEvent(event);
            else if (answer.hasConfirmation()) {
              onAnswer();
              subscriber.onConfirmed();
            }
          });
          call.on('error', reject);
          call.on('end', () => reject(new Error('The server ended the subscription')));
        }),
      accessOf(request),
    );
  }

  /** Appends all events or none. Not `ok`: the stream is not at the expected revision. */
  append(stream: string, proposed: readonly EventProposal[], expected: number | 'no-stream'): Promise<AppendAnswer> {
    const access = { action: 'write to', stream } as const;
    return this.#onStreams((client) => this.#batches(client).append(stream, proposed, expected), access);
  }

  /** Calls another service of the server, without retries. */
  call<C extends Client, Answer>(
    service: Service<C>,
    start: (client: C, ...rest: [...Arguments, (error: ServiceError | null, answer: Answer) => void]) => Call,
    timeoutMs: number,
  ): Promise<Answer> {
    const action: Action<C, Answer> = (client) =>
      new Promise((resolve, reject) => {
        const call = start(client, ...this.#driver.arguments(timeoutMs), (error, answer) => {
          this.#driver.delete(call);
          if (error) reject(error);
          else resolve(answer);
        });
        this.#driver.add(call);
      });
    return this.#driver.run(service, action, null);
  }

  close(): void {
    if (this.closing.aborted) return;
    clearInterval(this.#timer);
    this.#closing.abort(new Error(`The event store at ${this.#address} was closed`));
    this.#waiting.endAll(this.closing.reason);
    this.#driver.close();
  }

  /** Ends calls that have waited too long, and asks a server that is away or takes long. Its answer ends the outage. */
  #look(): void {
    const isQuestionDue = this.#driver.tick();
    this.#waiting.endImpatient();
    if (!isQuestionDue || this.#isAsking) return;
    this.#isAsking = true;
    this.read(newestOfAllRequest(null, 1))
      .catch(() => null)
      .finally(() => {
        this.#isAsking = false;
      });
  }

  /** Appends share one call, which is made again after it broke, or when the driver connects again. */
  #batches(client: Grpc): BatchStream {
    if (!this.#batch || this.#batch.ended || this.#batchClient !== client) {
      this.#batch?.finish();
      const call = this.#driver.begin(client.batchAppend(...this.#driver.arguments()));
      call.on('data', () => this.#driver.onData());
      this.#batch = new BatchStream(call);
      this.#batchClient = client;
    }
    return this.#batch;
  }

  #onStreams<T>(action: Action<Grpc, T>, access: Access): Promise<T> {
    return this.#driver.run(grpc.StreamsClient, action, access);
  }

  #unreachable(cause: unknown): EventStoreUnreachableError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = hasCode(cause, 'key_store_failed') ? 'The keys of EventStoreDB' : 'EventStoreDB';
    return new EventStoreUnreachableError(`${what} at ${this.#address} cannot be reached: ${reason}`, { cause });
  }
}

/** The answer to a position in the middle of an event, so one of another log. */
function isForeignPosition(error: Error): boolean {
  return error.message.includes('ReadAllResult: InvalidPosition');
}
