import type { NatsConnection } from '@nats-io/nats-core';
import type { RecordStream, RecordStreamOptions } from './records.ts';
import type { NamedStream } from './streams.ts';

export type { NatsConnection } from '@nats-io/nats-core';
export { NatsAddressError, NatsStorageFullError, NatsUnreachableError, NatsUnsuitableError } from './errors.ts';
export {
  isConsumerMissing,
  isNobodyThere,
  isStreamMissing,
  isSubjectTaken,
  isWrongSequence,
  translateNatsError,
} from './failures.ts';
export type { NatsRecord, RecordStream, RecordStreamOptions } from './records.ts';
export { subjectToken } from './subject.ts';

/**
 * Connects to NATS, and from then on connects again for ever, with growing pauses up to five seconds. The driver is loaded
 * by the first call. The caller owns the connection: `drain()` or `close()` ends it.
 * @param options.url as in `nats://user:password@host:4222,host2:4222?credentials=/path/of/file`
 * @param options.name what the server's monitoring calls this process
 * @throws NatsAddressError for a URL or a credentials file that cannot be read
 * @throws NatsUnreachableError when no server answers within five seconds, or it refuses the credentials
 * @throws NatsUnsuitableError for a server older than 2.9 or without JetStream
 */
export async function connectNats(options: { readonly url: string; readonly name: string }): Promise<NatsConnection> {
  const { open } = await import('./connect.ts');
  return open(options);
}

/** Makes a stream if it is not there; one that is there stays as its operator wants it. */
export async function ensureStream(connection: NatsConnection, config: NamedStream): Promise<void> {
  const { ensure } = await import('./streams.ts');
  await ensure(connection, config);
}

/** Opens the stream that holds the records, making it, or giving it the replicas and limits that are asked for. */
export async function openRecordStream(options: RecordStreamOptions): Promise<RecordStream> {
  const { open } = await import('./record-stream.ts');
  return open(options);
}
