import { convertToCommandError, EventStoreDBClient } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Client, Metadata } from '@grpc/grpc-js';
import { type Access, accessDenied, userOf } from './access.ts';
import { InvalidEventStoreUrlError } from './errors.ts';
import { Outage } from './outage.ts';
import { asUnavailable, isRetryable, unlessUnconnected } from './retries.ts';
import { FROZEN_MS, Silence } from './silence.ts';

/** The last of equal parameters counts. Calls are repeated here, so the driver need not look for a node for minutes. */
const LIMITS = 'gossipTimeout=2&maxDiscoverAttempts=1';

export type Service<C extends Client> = new (...args: ConstructorParameters<typeof StreamsClient>) => C;
export type Arguments = [metadata: Metadata, options: CallOptions];
/** `onAnswer`: to be called if the action goes on after the server has answered. */
export type Action<C extends Client, T> = (client: C, onAnswer: () => void) => Promise<T>;

/** Members of the driver that its types hide: the connection with credentials, discovery and reconnection. */
interface Internals {
  execute<C extends Client, T>(service: Service<C>, name: string, action: (client: C) => Promise<T>): Promise<T>;
  /** Drops the channel after an error that calls for it. */
  handleError(client: Client, error: Error): Promise<void>;
  /** @param options.deadline milliseconds from now */
  callArguments(options: { requiresLeader: boolean; deadline?: number }, callOptions?: CallOptions): Arguments;
}

export interface Call {
  cancel(): void;
}

/** The driver of the database, watched for outages. */
export class Driver {
  readonly outage = new Outage();
  readonly #client: Internals;
  readonly #address: string;
  readonly #user: string | null;
  readonly #closing: AbortSignal;
  readonly #silence = new Silence();
  readonly #calls = new Set<Call>();
  /** The newest client of the driver, which makes one after each loss of the connection. */
  #grpc: Client | null = null;

  /**
   * @param address the URL without credentials
   * @param closing aborts when no further call may begin
   * @throws InvalidEventStoreUrlError
   */
  constructor(url: string, address: string, closing: AbortSignal) {
    this.#address = address;
    this.#user = userOf(url);
    this.#closing = closing;
    try {
      const limited = `${url}${url.includes('?') ? '&' : '?'}${LIMITS}`;
      this.#client = EventStoreDBClient.connectionString(limited) as unknown as Internals;
    } catch {
      // The driver's own message repeats the URL with its password.
      throw new InvalidEventStoreUrlError(
        `Not a connection string of EventStoreDB: ${address} (expected e.g. esdb://host:2113?tls=false)`,
      );
    }
    const { handleError } = this.#client;
    // The driver does not await it, and it rejects if the channel that another call is just making cannot be made.
    this.#client.handleError = (...args) => handleError(...args).catch(() => {});
  }

  /**
   * Runs an action with the present client.
   * @param access the right that it needs
   * @throws EventStoreAccessDeniedError
   */
  async run<C extends Client, T>(service: Service<C>, action: Action<C, T>, access: Access | null): Promise<T> {
    const endWait = this.#silence.begin();
    const onAnswer = () => {
      endWait();
      this.#silence.end();
      this.outage.answered();
    };
    try {
      const answer = await this.#client.execute(service, service.name, (client) => this.#act(client, action, onAnswer));
      onAnswer();
      return answer;
    } catch (error) {
      endWait();
      const denied = accessDenied(error, { address: this.#address, user: this.#user, access });
      const failure = denied ?? (error instanceof Error ? convertToCommandError(error) : error);
      if (!isRetryable(failure)) onAnswer();
      else if (!this.#closing.aborted) this.outage.failed((failure as Error).message);
      throw failure;
    }
  }

  /** To be called for each call that an action begins. */
  begin<C extends Call & { once(event: 'error' | 'end', then: () => void): unknown }>(call: C): C {
    this.add(call);
    const ended = () => this.delete(call);
    call.once('error', ended);
    call.once('end', ended);
    return call;
  }

  /** As `begin`, for a call without events, up to `delete`. */
  add(call: Call): void {
    this.#calls.add(call);
  }

  delete(call: Call): void {
    this.#calls.delete(call);
  }

  /** To be called for each part of an answer. */
  onData(): void {
    this.#silence.end();
  }

  /** Requires the leader: a follower that lags behind would not return what this client has just written. */
  arguments(deadline?: number): Arguments {
    return deadline === undefined
      ? this.#client.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })
      : this.#client.callArguments({ requiresLeader: true, deadline });
  }

  /**
   * Drops the connection to a server that is frozen. To be called every `TICK_MS`.
   * @returns whether a short question is due: to a server that is away, or takes long over an answer
   */
  tick(): boolean {
    const silence = this.#silence.tick();
    if (silence === 'frozen') {
      this.outage.failed(`no answer for ${FROZEN_MS / 1_000} s`, FROZEN_MS);
      // The driver drops the channel of a call that was cancelled.
      this.#cancelCalls();
    }
    return silence !== 'none' || this.outage.lasts !== null;
  }

  close(): void {
    this.#cancelCalls();
    this.#grpc?.close();
  }

  #cancelCalls(): void {
    for (const call of this.#calls) call.cancel();
  }

  async #act<C extends Client, T>(client: C, action: Action<C, T>, onAnswer: () => void): Promise<T> {
    this.#grpc = client;
    if (this.#closing.aborted) {
      client.close();
      throw this.#closing.reason;
    }
    try {
      return await unlessUnconnected(client, action(client, onAnswer));
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
