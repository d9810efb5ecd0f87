import { isMnemeError } from '#platform/kernel';
import { NatsStorageFullError, NatsUnreachableError } from './errors.ts';

/** Codes of the JetStream API, as in errors.json of the server. */
const CODE = {
  notAvailable: 10_008,
  consumerNotFound: 10_014,
  createFailed: 10_049,
  nameInUse: 10_058,
  streamNotFound: 10_059,
  storeFailed: 10_077,
  streamOffline: 10_118,
};
/** Some servers answer a condition on one subject with the latter. */
const WRONG_LAST_SEQUENCE: readonly unknown[] = [10_071, 10_164];
/** No suitable servers for placement, and more than one replica without a cluster. */
const UNPLACEABLE: readonly unknown[] = [10_005, 10_074];
/** Limits of the account, the server or the stream, and a store that failed to write. */
const FULL: readonly unknown[] = [10_002, 10_023, 10_028, 10_047, CODE.storeFailed];
/** Statuses of an answer without an API code: timeout, leader change or shutdown, no responders. */
const UNANSWERED_STATUSES: readonly unknown[] = [408, 409, 503];
/** Errors of the driver by name, because not every process that imports this library loads the driver. */
const UNANSWERED_NAMES: ReadonlySet<string> = new Set([
  'AuthorizationError',
  'ClosedConnectionError',
  'ConnectionError',
  'DrainingConnectionError',
  'JetStreamError',
  'JetStreamNotEnabled',
  'NoResponders',
  'PermissionViolationError',
  'ProtocolError',
  'RequestError',
  'TimeoutError',
  'UserAuthenticationExpiredError',
]);

interface Fields {
  readonly name?: unknown;
  /** Of a JetStream API error its code, of a status error the status. */
  readonly code?: unknown;
  /** Of a JetStream API error. */
  readonly status?: unknown;
}

const fieldsOf = (error: unknown): Fields => (typeof error === 'object' && error !== null ? error : {});

/** The stream exists with other properties. */
export const isNameInUse = (error: unknown): boolean => fieldsOf(error).code === CODE.nameInUse;

export const isStreamMissing = (error: unknown): boolean => fieldsOf(error).code === CODE.streamNotFound;

export const isConsumerMissing = (error: unknown): boolean => fieldsOf(error).code === CODE.consumerNotFound;

/**
 * The server could not make the files of a new stream; only its log has the reason, e.g. a full disk or too many open files.
 * It shares its code with refusals that would be the same the next time.
 */
export const isStoreRefused = (error: unknown): boolean =>
  fieldsOf(error).code === CODE.createFailed && /creating store/.test((error as Error).message);

/** A deletion or a purge, which write too, failed: of these the server reports the reason in words alone. */
const isDiskFull = (error: unknown): boolean =>
  typeof fieldsOf(error).code === 'number' && /no space left/.test((error as Error).message);

/** The servers that are there cannot hold the stream with its replicas and its placement. */
export const isUnplaceable = (error: unknown): boolean => UNPLACEABLE.includes(fieldsOf(error).code);

/** Another writer has stored a record on the subject in the meantime. */
export const isWrongSequence = (error: unknown): boolean => WRONG_LAST_SEQUENCE.includes(fieldsOf(error).code);

/** The subject holds a message, and the stream accepts one per subject. */
export const isSubjectTaken = (error: unknown): boolean =>
  fieldsOf(error).code === CODE.storeFailed && /per subject/.test((error as Error).message);

/** No stream has the subject of a publication, or the server has no JetStream: the driver has one error for both. */
export const isNobodyThere = (error: unknown): boolean => fieldsOf(error).name === 'JetStreamNotEnabled';

/** A request was taken, or might have been, and not answered in time. */
export const isTimeout = (error: unknown): boolean => fieldsOf(error).name === 'TimeoutError';

/** No server has taken a request: the stream is missing, or without a leader. */
export function hasNoResponder(error: unknown): boolean {
  const { name, code } = fieldsOf(error);
  const isReported = (one: unknown) => fieldsOf(one).name === 'NoResponders';
  return (
    isNobodyThere(error) ||
    code === 503 ||
    isReported(error) ||
    (name === 'RequestError' && isReported((error as Error).cause))
  );
}

/**
 * Translates an error of the NATS driver. Returns every other error as it is, and every refusal by the server that would
 * be the same the next time.
 * @param what the subject of the message, e.g. `the stream x`
 */
export function translateNatsError(error: unknown, what: string): unknown {
  if (isMnemeError(error)) return error;
  const { name, code, status } = fieldsOf(error);
  if (isStoreRefused(error)) {
    const message = `NATS cannot make the files of ${what}: see the log of its server`;
    return new NatsStorageFullError(message, { cause: error });
  }
  if (FULL.includes(code) || isDiskFull(error)) {
    return new NatsStorageFullError(`NATS has no space in ${what}`, { cause: error });
  }
  const isUnanswered =
    code === CODE.notAvailable ||
    code === CODE.streamOffline ||
    UNANSWERED_STATUSES.includes(code) ||
    status === 503 ||
    (typeof code !== 'number' && typeof name === 'string' && UNANSWERED_NAMES.has(name));
  return isUnanswered ? new NatsUnreachableError(`NATS does not answer for ${what}`, { cause: error }) : error;
}
