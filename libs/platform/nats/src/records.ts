import type { NatsConnection } from '@nats-io/nats-core';
import type { StreamLayout } from './layout.ts';

export interface RecordStreamOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream; its subjects are `<name>.>`. Letters, digits, `-` and `_`. */
  readonly name: string;
  /**
   * When a stream that does not exist is created: whenever it is missing, only when it is opened, or never, for a stream
   * whose loss must not go unnoticed. Default: whenever.
   */
  readonly creates?: 'whenever' | 'at-open' | 'never';
  /** Age at which the server removes a record. Milliseconds. */
  readonly maxAgeMs?: number;
  /** Records that are kept per subject. Default: all. */
  readonly history?: number;
  /** Of one request. Milliseconds. Default: 5000. */
  readonly timeout?: number;
}

export interface NatsRecord {
  readonly subject: string;
  /** Sequence in the whole stream; the expected value of the next `replace` on the subject. */
  readonly seq: number;
  readonly data: Uint8Array;
  /** By the server's clock. */
  readonly time: Date;
}

/**
 * Records on a JetStream stream: the last record of a subject is its value, replaced by compare-and-set. The leader answers
 * reads, so that they include every write that has resolved. Calls reject with NatsUnreachableError while NATS does not
 * answer; a write may have been stored. A stream that was deleted is created again, empty, or, if that is not wanted, calls
 * reject with NatsStreamMissingError.
 */
export interface RecordStream {
  readonly name: string;
  /** Limit of the data of one record. */
  readonly maxRecordBytes: number;
  /** Returns the value of a subject. With a wildcard: of any matching subject; old servers scan the whole stream for it. */
  last(subject: string): Promise<NatsRecord | null>;
  /** Returns the first record of a subject after a sequence. */
  next(subject: string, after: number): Promise<NatsRecord | null>;
  /** Returns the data at a sequence. */
  at(seq: number): Promise<Uint8Array | null>;
  /** Appends a record to a subject and returns its sequence. Durable when it resolves. @throws NatsStorageFullError */
  write(subject: string, data: Uint8Array): Promise<number>;
  /**
   * Appends a record if the sequence of the current value is `expected`; 0: no value. Returns the sequence of the record, or
   * null if the value is another one.
   * @throws NatsStorageFullError
   */
  replace(subject: string, data: Uint8Array, expected: number): Promise<number | null>;
  /** Removes a record and overwrites its bytes in the server's file, up to 8 ms. Returns false if it does not exist. */
  erase(seq: number): Promise<boolean>;
  /** Removes a record without content, far faster than `erase`: its bytes stay in the file until the server compacts it. */
  drop(seq: number): Promise<boolean>;
  /** Yields the subjects that have records, in order, in pages of 100,000. */
  subjects(filter: string): AsyncIterable<string>;
  /** As `subjects`, each with the number of its records. */
  counts(filter: string): AsyncIterable<readonly [subject: string, records: number]>;
}
