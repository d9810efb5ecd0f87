import { setTimeout as pause } from 'node:timers/promises';
import { convertToCommandError, EventStoreDBClient } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js';
import { hasCode, withoutCredentials } from '#kernel';
import { EventStoreUnreachableError } from '../../port.ts';
import { type Access, accessDenied, userOf } from './access.ts';
import { type Appended, BatchStream } from './batch-stream.ts';
import { InvalidEventStoreUrlError } from './errors.ts';
import { accessOf, type Proposed, type RecordedMessage } from './requests.ts';
import { isRetryable, pauseAfter, unlessAborted, unlessUnconnected, WorkUnderWay } from './retries.ts';

const DEFAULT_PATIENCE_MS = 10_000;

export interface Subscriber {
  /** The subscription is active: every later event is delivered. */
  onConfirmed(): void;
  onEvent(event: RecordedMessage): void;
}

type Grpc = InstanceType<typeof StreamsClient>;
type Service<C extends Client> = new (...args: ConstructorParameters<typeof StreamsClient>) => C;
type Arguments = [metadata: Metadata, options: CallOptions];

/** Members of the driver that its types hide: the connection with credentials, discovery and reconnection. */
interface Internals {
  execute<C extends Client, T>(service: Service<C>, name: string, action: (client: C) => Promise<T>): Promise<T>;
  /** @param options.deadline milliseconds from now */
  callArguments(options: { requiresLeader: boolean; deadline?: number }, callOptions?: CallOptions): Arguments;
}

interface Call {
  cancel(): void;
}

export interface RetryOptions {
  /** Milliseconds. */
  readonly patience?: number;
  /** Also aborts when the connection is closed: made by `closingOr`. */
  readonly signal?: AbortSignal;
}

/** The connection of one client to the database: single calls, and their retries. */
export class Connection {
  readonly #client: Internals;
  readonly #address: string;
  readonly #user: string | null;
  readonly #patience: number;
  readonly #calls = new Set<Call>();
  readonly #work = new WorkUnderWay();
  /** The newest client of the driver, which makes one after each loss of the connection. */
  #grpc: Client | null = null;
  #batch: BatchStream | null = null;
  #batchClient: Client | null = null;
  readonly #closing = new AbortController();

  /** @throws InvalidEventStoreUrlError */
  constructor(url: string, patience = DEFAULT_PATIENCE_MS) {
    this.#address = withoutCredentials(url);
    this.#user = userOf(url);
    this.#patience = patience;
    try {
      this.#client = EventStoreDBClient.connectionString(url) as unknown as Internals;
    } catch {
      // The driver's own message repeats the URL with its password.
      throw new InvalidEventStoreUrlError(
        `Not a connection string of EventStoreDB: ${this.#address} (expected e.g. esdb://host:2113?tls=false)`,
      );
    }
  }

  /** Aborts when `close` is called. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborts with the signal, or when `close` is called. */
  closingOr(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.closing]);
  }

  /** Retries with growing pauses while the server does not answer. @throws EventStoreUnreachableError */
  async retry<T>(attempt: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
    const patience = options.patience ?? this.#patience;
    const { signal = this.closing } = options;
    const until = performance.now() + patience;
    for (let failures = 0; ; failures++) {
      this.#checkOpen();
      try {
        // Connecting to a cluster or to a frozen server can take long; an abort must not wait for it.
        return await (signal === this.closing ? this.#work.add(attempt()) : unlessAborted(attempt(), signal));
      } catch (error) {
        this.#checkOpen();
        signal.throwIfAborted();
        if (!isRetryable(error)) throw error;
        const left = until - performance.now();
        if (left <= 0) throw this.#unreachable(error);
        await pause(Math.min(pauseAfter(failures), left), undefined, { signal }).catch(() => {});
        signal.throwIfAborted();
      }
    }
  }

  /** Returns null if there is no such stream. @throws RangeError for a position that is not in this log */
  read(request: ReadReq): Promise<RecordedMessage[] | null> {
    return this.#onStreams(
      (client) =>
        new Promise((resolve, reject) => {
          let events: RecordedMessage[] | null = [];
          const call = this.#begin(client.read(request, ...this.#arguments()));
          call.on('data', (answer: ReadResp) => {
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
      (client) =>
        new Promise((_, reject) => {
          const call = this.#begin(client.read(request, ...this.#arguments()));
          call.on('data', (answer: ReadResp) => {
            const event = answer.getEvent()?.getEvent();
            if (event) subscriber.onEvent(event);
            else if (answer.hasConfirmation()) subscriber.onConfirmed();
          });
          call.on('error', reject);
          call.on('end', () => reject(new Error('The server ended the subscription')));
        }),
      accessOf(request),
    );
  }

  /** Appends all events or none. Not `ok`: the stream is not at the expected revision. */
  append(stream: string, proposed: readonly Proposed[], expected: number | 'no-stream'): Promise<Appended> {
    const access = { action: 'write to', stream } as const;
    return this.#onStreams((client) => this.#batches(client).append(stream, proposed, expected), access);
  }

  /** Calls another service of the server, without retries. */
  call<C extends Client, Answer>(
    service: Service<C>,
    start: (client: C, ...rest: [...Arguments, (error: ServiceError | null, answer: Answer) => void]) => Call,
    timeoutMs: number,
  ): Promise<Answer> {
    return this.#on(
      service,
      (client) =>
        new Promise((resolve, reject) => {
          const call = start(client, ...this.#arguments(timeoutMs), (error, answer) => {
            this.#calls.delete(call);
            if (error) reject(error);
            else resolve(answer);
          });
          this.#calls.add(call);
        }),
    );
  }

  close(): void {
    if (this.closing.aborted) return;
    this.#closing.abort();
    this.#work.end(this.closing.reason);
    for (const call of this.#calls) call.cancel();
    this.#grpc?.close();
  }

  /** Appends share one call, which is made again after it broke, or when the driver connects again. */
  #batches(client: Grpc): BatchStream {
    if (!this.#batch || this.#batch.ended || this.#batchClient !== client) {
      this.#batch?.finish();
      this.#batch = new BatchStream(this.#begin(client.batchAppend(...this.#arguments())));
      this.#batchClient = client;
    }
    return this.#batch;
  }

  #onStreams<T>(action: (client: Grpc) => Promise<T>, access: Access): Promise<T> {
    return this.#on(grpc.StreamsClient, action, access);
  }

  /** @throws EventStoreAccessDeniedError */
  async #on<C extends Client, T>(
    service: Service<C>,
    action: (client: C) => Promise<T>,
    access: Access | null = null,
  ): Promise<T> {
    try {
      return await this.#client.execute(service, service.name, (client) => {
        this.#grpc = client;
        if (!this.closing.aborted) return unlessUnconnected(client, action(client));
        client.close();
        return Promise.reject(this.#closed());
      });
    } catch (error) {
      const denied = accessDenied(error, { address: this.#address, user: this.#user, access });
      throw denied ?? (error instanceof Error ? convertToCommandError(error) : error);
    }
  }

  #begin<C extends Call & { once(event: 'error' | 'end', then: () => void): unknown }>(call: C): C {
    this.#calls.add(call);
    const ended = () => this.#calls.delete(call);
    call.once('error', ended);
    call.once('end', ended);
    return call;
  }

  /** Requires the leader: a follower that lags behind would not return what this client has just written. */
  #arguments(deadline?: number): Arguments {
    return deadline === undefined
      ? this.#client.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })
      : this.#client.callArguments({ requiresLeader: true, deadline });
  }

  #checkOpen(): void {
    if (this.closing.aborted) throw this.#closed();
  }

  #closed(): Error {
    return new Error(`The event store at ${this.#address} was closed`);
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
