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
import { NatsStreamMissingError } from './errors.ts';
import { hasNoResponder, isStreamMissing, isTimeout, isWrongSequence, translateNatsError } from './failures.ts';
import type { NatsRecord, RecordStream, RecordStreamOptions } from './records.ts';
import { ensure } from './streams.ts';

/** Codes of the JetStream API, as in errors.json of the server. */
const CODE = { noMessage: 10_037, sequenceNotFound: 10_043, messageDeleteFailed: 10_057 };
const DEFAULT_TIMEOUT_MS = 5_000;
const LEADER_TIMEOUT_MS = 500;
const LEADER_ATTEMPTS = 20;
/** Nanoseconds per millisecond. */
const NANOS = 1_000_000;
const MIN_DUPLICATE_WINDOW_MS = 100;
/**
 * More than any subject has. Streams with such a limit are stored in blocks of 4 MiB instead of 8, which halves the time of
 * an erasure, because it rewrites its block.
 */
const NO_LIMIT_BUT_SMALL_BLOCKS = 100_000_000;

/** @see openRecordStream */
export async function open(options: RecordStreamOptions): Promise<RecordStream> {
  const { connection, timeout = DEFAULT_TIMEOUT_MS } = options;
  const manager = await jetstreamManager(connection, { timeout, checkAPI: false });
  const { creates = 'whenever' } = options;
  const ready = (mayCreate: boolean) => ensureRecords(options, mayCreate);
  try {
    await ready(creates !== 'never');
    await untilLeader(connection, options.name);
  } catch (error) {
    throw translateNatsError(error, `the stream ${options.name}`);
  }
  return new JetStreamRecords(options, manager, jetstream(connection, { timeout }), () =>
    ready(creates === 'whenever'),
  );
}

function ensureRecords(options: RecordStreamOptions, mayCreate: boolean): Promise<void> {
  const { connection, name, maxAgeMs, history = NO_LIMIT_BUT_SMALL_BLOCKS } = options;
  const config = {
    name,
    subjects: [`${name}.>`],
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    allow_direct: true,
    max_msgs_per_subject: history,
    // Message ids are not used; the server rejects a window that is longer than the maximal age of its records.
    duplicate_window: MIN_DUPLICATE_WINDOW_MS * NANOS,
    ...(maxAgeMs !== undefined && { max_age: maxAgeMs * NANOS }),
  };
  return ensure(connection, config, { layout: options, mayCreate });
}

/** Waits for the leader: a new stream in a cluster has none for a moment and does not answer. */
async function untilLeader(connection: NatsConnection, name: string): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: LEADER_TIMEOUT_MS, checkAPI: false });
  const ask = () => manager.streams.getMessage(name, { last_by_subj: name });
  await pRetry(ask, { retries: LEADER_ATTEMPTS - 1, minTimeout: 0 });
}

class JetStreamRecords implements RecordStream {
  readonly name: string;
  readonly maxRecordBytes: number;
  readonly #timeout: number;
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  /** Creates the stream if it may be created. @throws NatsStreamMissingError if it is missing otherwise */
  readonly #makeReady: () => Promise<void>;

  constructor(
    { name, connection, timeout = DEFAULT_TIMEOUT_MS }: RecordStreamOptions,
    manager: JetStreamManager,
    client: JetStreamClient,
    makeReady: () => Promise<void>,
  ) {
    this.name = name;
    this.#timeout = timeout;
    this.#connection = connection;
    this.#manager = manager;
    this.#client = client;
    this.#makeReady = makeReady;
    // The headers of a publication count too.
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
      const near = await this.#manager.direct.getMessage(this.name, { seq }).catch((error: unknown) => {
        // An old server does not answer for a stream that was removed, but the API does.
        if (isTimeout(error)) return null;
        throw error;
      });
      // A replica may lag behind the leader.
      return (near ?? (await this.#manager.streams.getMessage(this.name, { seq })))?.data ?? null;
    });
  }

  async write(subject: string, data: Uint8Array): Promise<number> {
    return (await this.#onStream(() => this.#client.publish(subject, data))).seq;
  }

  async replace(subject: string, data: Uint8Array, expected: number): Promise<number | null> {
    try {
      const expect = { lastSubjectSequence: expected };
      return (await this.#onStream(() => this.#client.publish(subject, data, { expect }))).seq;
    } catch (error) {
      if (isWrongSequence(error)) return null;
      throw error;
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
    // Old servers do not report the reason.
    if (code !== CODE.messageDeleteFailed) return false;
    return (await this.#onStream(() => this.#manager.streams.getMessage(this.name, { seq }))) === null;
  }

  /**
   * Retries once the stream is there, if it was missing.
   * @throws NatsUnreachableError, NatsStorageFullError, NatsStreamMissingError
   */
  async #onStream<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      // A publication to a subject without a stream gets no answer, and neither does a direct read.
      if (!isStreamMissing(error) && !hasNoResponder(error)) throw this.#translated(error);
    }
    try {
      await this.#makeReady();
      return await request();
    } catch (error) {
      throw this.#translated(error);
    }
  }

  #translated(error: unknown): unknown {
    if (isStreamMissing(error)) return new NatsStreamMissingError(this.name, { cause: error });
    return translateNatsError(error, `the stream ${this.name}`);
  }

  async *subjects(filter: string): AsyncIterable<string> {
    for await (const [subject] of this.counts(filter)) yield subject;
  }

  async *counts(filter: string): AsyncIterable<readonly [subject: string, records: number]> {
    for (let offset = 0; ; ) {
      const page = await this.#countsFrom(filter, offset);
      yield* page.counts;
      offset += page.counts.length;
      if (page.counts.length === 0 || offset >= page.total) return;
    }
  }

  async #countsFrom(filter: string, offset: number): Promise<{ counts: [string, number][]; total: number }> {
    const request = JSON.stringify({ subjects_filter: filter, offset });
    const answer = await this.#onStream(() =>
      this.#connection.request(`$JS.API.STREAM.INFO.${this.name}`, request, { timeout: this.#timeout }),
    );
    const { state, total = 0, error } = answer.json<InfoPage>();
    if (error) {
      const { description, code: status, err_code: code } = error;
      const message = `NATS does not list the subjects of ${this.name}: ${description}`;
      throw this.#translated(Object.assign(new Error(message), { status, code }));
    }
    const counts = Object.entries(state?.subjects ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return { counts, total };
  }
}

interface InfoPage {
  readonly state?: { readonly subjects?: Readonly<Record<string, number>> };
  readonly total?: number;
  readonly error?: { readonly description: string; readonly code?: number; readonly err_code?: number };
}

/** Returns 0 for any error but an answer of the JetStream API. */
function codeOf(error: unknown): number {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : 0;
}
