import { mnemeError } from '#platform/kernel';

/** No NATS server answered, or it refused the credentials. The message names hosts and ports, never credentials. */
export class NatsUnreachableError extends mnemeError('transient', 'nats_unreachable') {}

/** The NATS server is too old or has no JetStream. */
export class NatsUnsuitableError extends mnemeError('permanent', 'nats_unsuitable') {}

/** The address of the NATS servers, or its credentials file, cannot be read. */
export class NatsAddressError extends mnemeError('permanent', 'nats_address') {}

/** A stream that holds data does not exist. Creating it again would turn an outage into a loss. */
export class NatsStreamMissingError extends mnemeError('transient', 'nats_stream_missing') {
  /** @param stream name of the stream */
  constructor(stream: string, options?: ErrorOptions) {
    const advice = 'Restore it from a backup. `mneme init` creates an empty one; what it held is then lost';
    super(`The stream ${stream} is missing on NATS, and it holds data. ${advice}.`, options);
  }
}

/** NATS cannot keep a stream as it is configured: too few servers for its replicas, or none for its placement. */
export class NatsPlacementError extends mnemeError('transient', 'nats_placement') {}

/** A stream has reached its limit, or the server has no space. Nothing was written. */
export class NatsStorageFullError extends mnemeError('transient', 'no_space') {}
