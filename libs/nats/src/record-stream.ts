import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import pRetry from 'p-retry';
import { NatsStorageFullError, NatsUnreachableError } from './errors.ts';
import { isNobodyThere, isStreamMissing, isWrongSequence } from './failures.ts';
import type { NatsRecord, RecordStream, RecordStreamOptions } from './records.ts';
import { ensure } from './streams.ts';

/** Codes of the JetStream API, as the server's errors.json names them. */
const CODE = {
  notAvailable: 10008,
  noMessage: 10037,
  sequenceNotFound: 10043,
  messageDeleteFailed: 10057,
  full: [10002, 10023, 10028, 10047, 10077],
};
const TIMEOUT_MS = 5_000;
const ASK_FOR_LEADER_MS = 500;
const ASK_FOR_LEADER_TIMES = 20;
/** In a millisecond. */
const NANOS = 1_000_000;
const MIN_DUPLICATE_WINDOW_MS = 100;
/**
 * No subject comes near it. Streams that have such a limit are stored in blocks of 4 MiB instead of 8, and an erasure
 * rewrites its block: it takes half the time.
 */
const NO_LIMIT_BUT_SMALL_BLOCKS = 100_000_000;

/** @see records.ts */
export async function open(options: RecordStreamOptions): Promise<RecordStream> {
  const { connection, timeout = TIMEOUT_MS } = options;
  const manager = await jetstreamManager(connection, { timeout, checkAPI: false });
  const make = () => makeStream(options, manager);
  await make();
  await untilLed(connection, options.name);
  return new JetStreamRecords(options, manager, jetstream(connection, { timeout }), make);
}

async function makeStream(options: RecordStreamOptions, manager: JetStreamManager): Promise<void> {
  const { connection, name, replicas, maxBytes, maxAgeMs, history = NO_LIMIT_BUT_SMALL_BLOCKS } = options;
  const wanted = {
    ...(replicas !== undefined && { num_replicas: replicas }),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...(maxAgeMs !== undefined && { max_age: maxAgeMs * NANOS }),
  };
  const fixed = {
    subjects: [`${name}.>`],
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    allow_direct: true,
    max_msgs_per_subject: history,
    // No message ids are used; the server refuses a window that is longer than its records live.
    duplicate_window: MIN_DUPLICATE_WINDOW_MS * NANOS,
  };
  await ensure(connection, { name, ...fixed, ...wanted });
  const { config } = await manager.streams.info(name);
  const isAsWanted = Object.entries(wanted).every(([key, value]) => config[key as keyof typeof wanted] === value);
  if (!isAsWanted) await manager.streams.update(name, { ...config, ...wanted });
}

/** A stream that was just made in a cluster has no leader for a moment, and nobody answers for it. */
async function untilLed(connection: NatsConnection, name: string): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: ASK_FOR_LEADER_MS, checkAPI: false });
  const ask = () => manager.streams.getMessage(name, { last_by_subj: name });
  await pRetry(ask, { retries: ASK_FOR_LEADER_TIMES - 1, minTimeout: 0 });
}

class JetStreamRecords implements RecordStream {
  readonly name: string;
  readonly maxRecordBytes: number;
  readonly #timeout: number;
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #make: () => Promise<void>;

  constructor(
    { name, connection, timeout = TIMEOUT_MS }: RecordStreamOptions,
    manager: JetStreamManager,
    client: JetStreamClient,
    make: () => Promise<void>,
  ) {
    this.name = name;
    this.#timeout = timeout;
    this.#connection = connection;
    this.#manager = manager;
    this.#client = client;
    this.#make = make;
    // What the headers of a publication take counts too.
    this.maxRecordBytes = (connection.info?.max_payload ?? 1_048_576) - 1_024;
  }

  last(subject: string): Promise<NatsRecord | null> {
    return this.#onStream(() => this.#manager.streams.getMessage(this.name, { last_by_subj: subject }));
  }

  next(subject: string, after: number): Promise<NatsRecord | null> {
    const query = { next_by_subj: subject, seq: after + 1 };
    return this.#onStream(() => this.#manager.streams.getMessage(this.name, query));
  }

  async at(seq: number): Promise<Uint8Array | null> {
    return this.#onStream(async () => {
      const near = await this.#manager.direct.getMessage(this.name, { seq });
      // A replica may be behind; the leader is not.
      return (near ?? (await this.#manager.streams.getMessage(this.name, { seq })))?.data ?? null;
    });
  }

  async write(subject: string, data: Uint8Array): Promise<number> {
    try {
      return (await this.#onStream(() => this.#client.publish(subject, data))).seq;
    } catch (error) {
      throw this.#named(error);
    }
  }

  async replace(subject: string, data: Uint8Array, expected: number): Promise<number | null> {
    try {
      const expect = { lastSubjectSequence: expected };
      return (await this.#onStream(() => this.#client.publish(subject, data, { expect }))).seq;
    } catch (error) {
      if (isWrongSequence(error)) return null;
      throw this.#named(error);
    }
  }

  erase(seq: number): Promise<boolean> {
    return this.#remove(seq, true);
  }

  drop(seq: number): Promise<boolean> {
    return this.#remove(seq, false);
  }

  async #remove(seq: number, isErased: boolean): Promise<boolean> {
    try {
      return await this.#onStream(() => this.#manager.streams.deleteMessage(this.name, seq, isErased));
    } catch (error) {
      if (await this.#isAbsent(seq, codeOf(error))) return false;
      throw error;
    }
  }

  async #isAbsent(seq: number, code: number): Promise<boolean> {
    if (code === CODE.noMessage || code === CODE.sequenceNotFound) return true;
    // Old servers do not say why.
    return code === CODE.messageDeleteFailed && (await this.#manager.streams.getMessage(this.name, { seq })) === null;
  }

  /** Once more on a new stream, if there is none. @throws NatsUnreachableError */
  async #onStream<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      // Where no stream takes a subject, nobody answers a publication.
      if (!isStreamMissing(error) && !isNobodyThere(error)) throw this.#unanswered(error);
    }
    try {
      await this.#make();
      return await request();
    } catch (error) {
      throw this.#unanswered(error);
    }
  }

  /** Everything but a refusal by the server. */
  #unanswered(error: unknown): unknown {
    const code = codeOf(error);
    if (code !== 0 && code !== CODE.notAvailable) return error;
    return new NatsUnreachableError(`NATS does not answer for the stream ${this.name}`, { cause: error });
  }

  #named(error: unknown): unknown {
    if (!CODE.full.includes(codeOf(error))) return error;
    return new NatsStorageFullError(`The NATS stream ${this.name} is full`, { cause: error });
  }

  async *subjects(filter: string): AsyncIterable<string> {
    for (let offset = 0; ; ) {
      const page = await this.#subjectsFrom(filter, offset);
      yield* page.subjects;
      offset += page.subjects.length;
      if (page.subjects.length === 0 || offset >= page.total) return;
    }
  }

  async #subjectsFrom(filter: string, offset: number): Promise<{ subjects: string[]; total: number }> {
    const request = JSON.stringify({ subjects_filter: filter, offset });
    const answer = await this.#onStream(() =>
      this.#connection.request(`$JS.API.STREAM.INFO.${this.name}`, request, { timeout: this.#timeout }),
    );
    const { state, total = 0, error } = answer.json<InfoPage>();
    if (error) throw new Error(`NATS does not list the subjects of ${this.name}: ${error.description}`);
    return { subjects: Object.keys(state?.subjects ?? {}).sort(), total };
  }
}

interface InfoPage {
  readonly state?: { readonly subjects?: Readonly<Record<string, number>> };
  readonly total?: number;
  readonly error?: { readonly description: string };
}

/** 0: not an answer of the JetStream API. */
function codeOf(error: unknown): number {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : 0;
}
