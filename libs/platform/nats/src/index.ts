import type { NatsConnection } from '@nats-io/nats-core';
import type { RecordStream, RecordStreamOptions } from './records.ts';
import type { EnsureOptions, InspectedStream, NamedStream } from './streams.ts';

export type { NatsConnection } from '@nats-io/nats-core';
export {
  NatsStorageFullError,
  NatsStreamMissingError,
  NatsUnreachableError,
  NatsUnsuitableError,
} from './errors.ts';
export {
  isConsumerMissing,
  isNobodyThere,
  isStreamMissing,
  isSubjectTaken,
  isWrongSequence,
  translateNatsError,
} from './failures.ts';
export type { StreamLayout } from './layout.ts';
export type { NatsRecord, RecordStream, RecordStreamOptions } from './records.ts';
export type { InspectedStream } from './streams.ts';
export { subjectToken } from './subject.ts';

/**
 * Connects to NATS. The connection reconnects without limit, with growing pauses up to five seconds. The first call loads
 * the driver. The caller owns the connection and ends it by `drain()` or `close()`.
 * @param options.url e.g. `nats://user:password@host:4222,host2:4222?credentials=/path/of/file`
 * @param options.name name of this process in the server's monitoring
 * @throws NatsAddressError if the URL or the credentials file cannot be read
 * @throws NatsUnreachableError if no server answers within five seconds, or the server rejects the credentials
 * @throws NatsUnsuitableError if the server is older than 2.9 or has no JetStream
 */
export async function connectNats(options: { readonly url: string; readonly name: string }): Promise<NatsConnection> {
  const { open } = await import('./connect.ts');
  return open(options);
}

/**
 * Creates a stream if it does not exist. Sets the maximal age and the layout on an existing one, and changes nothing else of
 * it.
 */
export async function ensureStream(
  connection: NatsConnection,
  config: NamedStream,
  options?: EnsureOptions,
): Promise<void> {
  const { ensure } = await import('./streams.ts');
  await ensure(connection, config, options);
}

/**
 * Returns those of the streams that do not exist.
 * @throws NatsUnreachableError if the leader of one of them does not answer within a second
 */
export async function missingStreams(connection: NatsConnection, names: readonly string[]): Promise<readonly string[]> {
  const { findMissing } = await import('./streams.ts');
  return findMissing(connection, names);
}

/** Returns the size and the copies of streams. @throws NatsUnreachableError */
export async function inspectStreams(
  connection: NatsConnection,
  names: readonly string[],
): Promise<readonly InspectedStream[]> {
  const { inspect } = await import('./streams.ts');
  return inspect(connection, names);
}

/** Opens the stream that holds the records; creates it, or sets the given layout on an existing one. */
export async function openRecordStream(options: RecordStreamOptions): Promise<RecordStream> {
  const { open } = await import('./record-stream.ts');
  return open(options);
}
