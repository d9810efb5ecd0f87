import {
  AckPolicy,
  type Consumer,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/nats-core';
import { ensureStream, type StreamLayout, subjectToken } from '#platform/nats';
import type { WorkMessage } from '../../port.ts';

/** Covers a publish whose answer was lost. Work in progress is recognized by its subject. */
const DUPLICATES_MS = 500;
/** Far above the process manager's limit in flight: messages that wait for a redelivery count too. */
const MAX_ACK_PENDING = 10_000;
const DURABLE = 'worker';
const MAX_DEAD_LETTERS = 100_000;

export interface WorkStreamsOptions {
  readonly connection: NatsConnection;
  /** First token of every subject and, in capitals, of every stream. */
  readonly prefix: string;
  /** Of the stream of each stage. */
  readonly layout?: StreamLayout;
  readonly deadLettersLayout?: StreamLayout;
}

/**
 * Streams and subjects of the bus: a stream per pattern, with a subject per version of a document, which accepts one message.
 * So the stream records which work is in progress, and rejects duplicates.
 */
export class WorkStreams {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly deadLetters: string;
  /** Name of the consumer that all workers share. */
  readonly durable = DURABLE;
  readonly #prefix: string;
  readonly #layout: StreamLayout;
  readonly #deadLettersLayout: StreamLayout;

  constructor({ connection, prefix, layout = {}, deadLettersLayout = {} }: WorkStreamsOptions) {
    this.connection = connection;
    this.js = jetstream(connection);
    this.deadLetters = `${prefix.toUpperCase()}_DEAD_LETTERS`;
    this.#prefix = prefix;
    this.#layout = layout;
    this.#deadLettersLayout = deadLettersLayout;
  }

  manager(): Promise<JetStreamManager> {
    return this.js.jetstreamManager(false);
  }

  streamOf(pattern: string): string {
    return `${this.#prefix.toUpperCase()}_WORK_${stageOf(pattern).toUpperCase()}`;
  }

  subjectOf(pattern: string, { organization, documentId, contentVersion }: WorkMessage): string {
    const tokens = [organization, documentId, String(contentVersion)].map(subjectToken);
    return [this.#prefix, 'work', stageOf(pattern), ...tokens].join('.');
  }

  deadSubjectOf(pattern: string): string {
    return `${this.#prefix}.dead.${stageOf(pattern)}`;
  }

  /** Returns the stages that have a stream. */
  async stages(): Promise<readonly string[]> {
    const before = this.streamOf('');
    const names: string[] = [];
    for await (const name of (await this.manager()).streams.names(`${this.#prefix}.work.>`)) {
      if (name.startsWith(before)) names.push(name.slice(before.length).toLowerCase());
    }
    return names.sort();
  }

  /** Creates the stream of a pattern if it does not exist. */
  async ensureWork(pattern: string): Promise<void> {
    const config = {
      name: this.streamOf(pattern),
      subjects: [`${this.#prefix}.work.${stageOf(pattern)}.>`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      max_msgs_per_subject: 1,
      discard_new_per_subject: true,
      duplicate_window: nanos(DUPLICATES_MS),
    };
    await ensureStream(this.connection, config, { layout: this.#layout });
  }

  async ensureDeadLetters(): Promise<void> {
    const config = {
      name: this.deadLetters,
      subjects: [`${this.#prefix}.dead.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_msgs: MAX_DEAD_LETTERS,
    };
    await ensureStream(this.connection, config, { layout: this.#deadLettersLayout });
  }

  /** Returns the consumer that all workers share; creates it and its stream if needed. */
  async consumer(pattern: string, ackWaitMs: number): Promise<Consumer> {
    await this.ensureWork(pattern);
    const stream = this.streamOf(pattern);
    const manager = await this.manager();
    await manager.consumers.add(stream, {
      durable_name: DURABLE,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: MAX_ACK_PENDING,
      max_deliver: -1,
    });
    return this.js.consumers.get(stream, DURABLE);
  }
}

/** Patterns look like `pipeline.extract`. */
export function stageOf(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('.') + 1);
}
