import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CancelledError,
  convertToCommandError,
  DeadlineExceededError,
  EventStoreDBClient,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js';
import { hasCode } from '#kernel';
import { EventStoreUnreachableError } from '../../port.ts';
import { EventStoreTooOldError, InvalidEventStoreUrlError } from './errors.ts';
import { appendRequests, type Proposed, type RecordedMessage } from './requests.ts';

const DEFAULT_PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** For a connection; whoever takes it and then says nothing would hold up a call for ever. */
const CONNECTED_WITHIN_MS = 5_000;
/** For an append. A read may have to look through the whole log; a connection that is silent for 20 s ends by itself. */
const APPEND_DEADLINE_MS = 10_000;
/** Of a gRPC channel that is connected. */
const READY = 2;
/** gRPC's INTERNAL: how a stream ends that was reset while it was used. */
const INTERNAL = 13;

export type Appended =
  | { readonly ok: true; readonly revision: number; readonly place: number }
  | { readonly ok: false };

export interface Follower {
  /** The server listens: no later event goes unnoticed. */
  onConfirmed(): void;
  onEvent(event: RecordedMessage): void;
}

type Grpc = InstanceType<typeof StreamsClient>;
type Service<C extends Client> = new (...args: ConstructorParameters<typeof StreamsClient>) => C;
type Arguments = [metadata: Metadata, options: CallOptions];

/** What the client does not show: its connection, with its credentials, its discovery and its way to reconnect. */
interface Internals {
  execute<C extends Client, T>(service: Service<C>, name: string, action: (client: C) => Promise<T>): Promise<T>;
  /** @param options.deadline milliseconds from now */
  callArguments(options: { requiresLeader: boolean; deadline?: number }, callOptions?: CallOptions): Arguments;
}

interface Call {
  cancel(): void;
}

export interface PersistOptions {
  /** Milliseconds. */
  readonly patience?: number;
  /** Also aborts when the connection is closed: made by `closingOr`. */
  readonly signal?: AbortSignal;
}

/** One client's connection to the database: single attempts, and the rule by which they are tried again. */
export class Connection {
  readonly #client: Internals;
  readonly #address: string;
  readonly #patience: number;
  readonly #calls = new Set<Call>();
  /** The newest of those that the client makes, one after each loss of the connection. */
  #grpc: Client | null = null;
  readonly #closing = new AbortController();

  /** @throws InvalidEventStoreUrlError */
  constructor(url: string, patience = DEFAULT_PATIENCE_MS) {
    this.#address = withoutCredentials(url);
    this.#patience = patience;
    try {
      this.#client = EventStoreDBClient.connectionString(url) as unknown as Internals;
    } catch {
      // The client's own message repeats the URL with its password.
      throw new InvalidEventStoreUrlError(
        `Not a connection string of EventStoreDB: ${this.#address} (expected e.g. esdb://host:2113?tls=false)`,
      );
    }
  }

  /** Aborts when the connection is closed on our side. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborts with the signal, or when the connection is closed. */
  closingOr(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.closing]);
  }

  /** Tries again, with growing pauses, as long as the server does not answer. @throws EventStoreUnreachableError */
  async persist<T>(attempt: () => Promise<T>, options: PersistOptions = {}): Promise<T> {
    const patience = options.patience ?? this.#patience;
    const { signal = this.closing } = options;
    const until = performance.now() + patience;
    for (let failures = 0; ; failures++) {
      this.#checkOpen();
      try {
        // Connecting to a cluster, or a server that froze, can take longer than anybody wants to wait who leaves.
        return await unlessAborted(attempt(), signal);
      } catch (error) {
        this.#checkOpen();
        signal.throwIfAborted();
        if (!isLost(error)) throw error;
        const left = until - performance.now();
        if (left <= 0) throw this.#unreachable(error);
        await pause(Math.min(pauseAfter(failures), left), undefined, { signal }).catch(() => {});
        signal.throwIfAborted();
      }
    }
  }

  /** Null: there is no such stream. @throws RangeError for a position that is none of this log */
  read(request: ReadReq): Promise<RecordedMessage[] | null> {
    return this.#run(
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
    );
  }

  /** Ends with an error, at the latest when the connection is closed. */
  follow(request: ReadReq, follower: Follower): Promise<never> {
    return this.#run(
      (client) =>
        new Promise((_, reject) => {
          const call = this.#begin(client.read(request, ...this.#arguments()));
          call.on('data', (answer: ReadResp) => {
            const event = answer.getEvent()?.getEvent();
            if (event) follower.onEvent(event);
            else if (answer.hasConfirmation()) follower.onConfirmed();
          });
          call.on('error', reject);
          call.on('end', () => reject(new Error('The server ended the subscription')));
        }),
    );
  }

  /** All or nothing, at that revision. Not `ok`: the stream is not there. */
  append(stream: string, proposed: readonly Proposed[], expected: number | 'no-stream'): Promise<Appended> {
    return this.#run(
      (client) =>
        new Promise((resolve, reject) => {
          const call = this.#begin(
            client.append(...this.#arguments(APPEND_DEADLINE_MS), (error: Error | null, answer: AppendResp) => {
              this.#calls.delete(call);
              if (error) reject(error);
              else resolve(appendedOf(answer));
            }),
          );
          // Told to the callback too; without a listener a broken pipe would end the process.
          call.on('error', reject);
          for (const request of appendRequests(stream, proposed, expected)) call.write(request);
          call.end();
        }),
    );
  }

  /**
   * A question to another of the server's services, asked once.
   * @param milliseconds until it is given up
   */
  ask<C extends Client, Answer>(
    service: Service<C>,
    question: (client: C, ...rest: [...Arguments, (error: ServiceError | null, answer: Answer) => void]) => Call,
    milliseconds: number,
  ): Promise<Answer> {
    return this.#on(
      service,
      (client) =>
        new Promise((resolve, reject) => {
          const call = question(client, ...this.#arguments(milliseconds), (error, answer) => {
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
    for (const call of this.#calls) call.cancel();
    this.#grpc?.close();
  }

  #run<T>(action: (client: Grpc) => Promise<T>): Promise<T> {
    return this.#on(grpc.StreamsClient, action);
  }

  async #on<C extends Client, T>(service: Service<C>, action: (client: C) => Promise<T>): Promise<T> {
    try {
      return await this.#client.execute(service, service.name, (client) => {
        this.#grpc = client;
        if (!this.closing.aborted) return unlessSilent(client, action(client));
        client.close();
        return Promise.reject(this.#closed());
      });
    } catch (error) {
      throw error instanceof Error ? convertToCommandError(error) : error;
    }
  }

  #begin<C extends Call & { once(event: 'error' | 'end', then: () => void): unknown }>(call: C): C {
    this.#calls.add(call);
    const ended = () => this.#calls.delete(call);
    call.once('error', ended);
    call.once('end', ended);
    return call;
  }

  /** Answers of a node that lags behind would undo the order of reads after writes. */
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

/** Settles as the work does, or is rejected as soon as the signal aborts. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Settles as the work does, or is rejected when there is no connection in time. The client gives the channel up then. */
function unlessSilent<T>(client: Client, work: Promise<T>): Promise<T> {
  const isConnected = () => client.getChannel().getConnectivityState(false) === READY;
  if (isConnected()) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!isConnected()) reject(new UnavailableError(undefined, 'it takes the connection and says nothing'));
    }, CONNECTED_WITHIN_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Milliseconds before the next attempt; no two clients come back in step. */
export function pauseAfter(failures: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return randomInt(longest / 2, longest);
}

/** The server is away, or not the leader any more: the same again may work soon. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const lost = [UnavailableError, CancelledError, DeadlineExceededError, TimeoutError, NotLeaderError];
  if (lost.some((type) => error instanceof type)) return true;
  if (hasCode(error, 'key_store_failed')) return true;
  if (error instanceof UnknownError) return Number(error.code) === INTERNAL;
  return /Channel has been shut down|Failed to discover/.test(error.message);
}

function isForeignPosition(error: Error): boolean {
  return error.message.includes('Trying to read from an invalid position');
}

function appendedOf(answer: AppendResp): Appended {
  const success = answer.getSuccess();
  if (!success) return { ok: false };
  const place = Number(success.getPosition()?.getCommitPosition());
  if (!Number.isSafeInteger(place)) throw new EventStoreTooOldError('EventStoreDB tells no position of what it stored');
  return { ok: true, revision: Number(success.getCurrentRevision()), place };
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '');
}
