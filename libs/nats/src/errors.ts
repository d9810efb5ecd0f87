import { MnemeError } from '#kernel';
/** No NATS server answered, or it refused the credentials. The message names hosts and ports, never credentials. */
export class NatsUnreachableError extends MnemeError {
  override readonly name = 'NatsUnreachableError';
  override readonly kind = 'transient';
  override readonly code = 'nats_unreachable';
}

/** A NATS server answered that cannot carry the work: it is too old, or has no JetStream. */
export class NatsUnsuitableError extends MnemeError {
  override readonly name = 'NatsUnsuitableError';
  override readonly kind = 'permanent';
  override readonly code = 'nats_unsuitable';
}

/** The address of the NATS servers cannot be read. */
export class NatsAddressError extends MnemeError {
  override readonly name = 'NatsAddressError';
  override readonly kind = 'permanent';
  override readonly code = 'nats_address';
}

/** A stream has reached its limit, or the server has no room left. Nothing was written. */
export class NatsStorageFullError extends MnemeError {
  override readonly name = 'NatsStorageFullError';
  override readonly kind = 'transient';
  override readonly code = 'no_space';
}
