import type { NatsConnection } from '@nats-io/nats-core';

export interface RecordStreamOptions {
  readonly connection: NatsConnection;
  /** Of the stream; its subjects are `<name>.>`. Letters, digits, `-` and `_`. */
  readonly name: string;
  /** Copies of each record in the cluster. Where nothing is said: one, or what the operator has set. So are the limits. */
  readonly replicas?: number;
  /** Beyond it a write is refused; without it the server's own limit holds. */
  readonly maxBytes?: number;
  /** Milliseconds after which the server removes a record by itself. */
  readonly maxAgeMs?: number;
  /** Records that are kept of each subject; all of them where nothing is said. */
  readonly history?: number;
  /** Milliseconds for one request; 5,000 where nothing is said. */
  readonly timeout?: number;
}

export interface NatsRecord {
  readonly subject: string;
  /** Grows over the whole stream; what the next write to the subject has to expect. */
  readonly seq: number;
  readonly data: Uint8Array;
  /** By the server's clock. */
  readonly time: Date;
}

/**
 * Records on a JetStream stream of its own: the last one under a subject is its value, replaced by compare and set.
 * Reads are answered by the leader, so that they show every write that has resolved. All of it rejects with
 * NatsUnreachableError while NATS does not answer; a write may have happened all the same. A stream that was deleted is
 * made again, empty.
 */
export interface RecordStream {
  readonly name: string;
  /** What one record may hold. */
  readonly maxRecordBytes: number;
  /** The value of a subject. With a wildcard: any of those it meets, for which old servers look through everything. */
  last(subject: string): Promise<NatsRecord | null>;
  /** The first record of a subject after a sequence. */
  next(subject: string, after: number): Promise<NatsRecord | null>;
  /** What is stored at a sequence. */
  at(seq: number): Promise<Uint8Array | null>;
  /** Puts a record behind the others of its subject: stored by the server when it resolves. @throws NatsStorageFullError */
  write(subject: string, data: Uint8Array): Promise<number>;
  /**
   * The same, if the value of the subject is the one at `expected` (0: there is none).
   * @returns the record's sequence; null where the value was another, and nothing was written
   * @throws NatsStorageFullError
   */
  replace(subject: string, data: Uint8Array, expected: number): Promise<number | null>;
  /** Removes a record and overwrites its bytes in the server's file: up to 8 ms of it. False: it was not there. */
  erase(seq: number): Promise<boolean>;
  /** Removes a record that tells nothing: its bytes stay in the file until the server compacts it, which costs far less. */
  drop(seq: number): Promise<boolean>;
  /** The subjects that hold records, in order, read in pages of 100,000. */
  subjects(filter: string): AsyncIterable<string>;
}
