import type { NatsConnection, StreamLayout } from '#platform/nats';

/**
 * Secrets that payloads are sealed with, stored apart from a log that cannot delete. Destroying the keys of a stream makes
 * its payloads unreadable in every copy of the log.
 */
export interface StreamKeys {
  /**
   * Makes the store of the keys. Called for a log without an id, which has no events yet: later a missing store is an
   * outage. Absent: it needs nothing to exist.
   */
  create?(): Promise<void>;
  /** Durable when it resolves. A stream may have several keys, each under its own id of 32 hexadecimal digits. */
  put(stream: string, id: string, key: Uint8Array): Promise<void>;
  /** Returns null if the key was destroyed or never existed. */
  get(stream: string, id: string): Promise<Uint8Array | null>;
  /** Destroys every key of the stream, and records that. Durable when it resolves. */
  destroy(stream: string): Promise<void>;
  /** Whether it is recorded that the keys of the stream were destroyed. A store that has lost keys has no record of them. */
  isDestroyed(stream: string): Promise<boolean>;
  /** Returns those of these streams that have keys. */
  among(streams: ReadonlySet<string>): Promise<readonly string[]>;
  /** Absent: there is nothing to close. */
  close?(): Promise<void>;
}

export interface NatsStreamKeysOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream: letters, digits, `-` and `_`. Nothing else may use it. */
  readonly bucket: string;
  /** Whether a stream that does not exist is created now. It is never created later: keys cannot be made again. */
  readonly mayCreate: boolean;
}
