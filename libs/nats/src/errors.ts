/** No NATS server answered, or it refused the credentials. The message names hosts and ports, never credentials. */
export class NatsUnreachableError extends Error {
  override readonly name = 'NatsUnreachableError';
}

/** A NATS server answered that cannot carry the work: it is too old, or has no JetStream. */
export class NatsUnsuitableError extends Error {
  override readonly name = 'NatsUnsuitableError';
}

/** The address of the NATS servers cannot be read. */
export class NatsAddressError extends Error {
  override readonly name = 'NatsAddressError';
}

/** A stream has reached its limit, or the server has no room left. Nothing was written. */
export class NatsStorageFullError extends Error {
  override readonly name = 'NatsStorageFullError';
}
