import { isMnemeError } from '#kernel';
import { NatsStorageFullError, NatsUnreachableError } from './errors.ts';

/** Codes of the JetStream API, as in errors.json of the server. */
const CODE = {
  notAvailable: 10_008,
  consumerNotFound: 10_014,
  nameInUse: 10_058,
  streamNotFound: 10_059,
  storeFailed: 10_077,
};
/** The latter is the answer of some servers to a condition on one subject. */
const WRONG_LAST_SEQUENCE: readonly unknown[] = [10_071, 10_164];
/** Limits of the account, the server or the stream, and a store that failed to write. */
const FULL: readonly unknown[] = [10_002, 10_023, 10_028, 10_047, CODE.storeFailed];
/** Statuses of an answer without an API code: timeout, leader change or shutdown, no responders. */
const UNANSWERED_STATUSES: readonly unknown[] = [408, 409, 503];
/** Errors of the client by name, because not every process that imports this library loads the client. */
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

/** The stream exists, with other properties. */
export const isNameInUse = (error: unknown): boolean => fieldsOf(error).code === CODE.nameInUse;

export const isStreamMissing = (error: unknown): boolean => fieldsOf(error).code === CODE.streamNotFound;

export const isConsumerMissing = (error: unknown): boolean => fieldsOf(error).code === CODE.consumerNotFound;

/** Another writer has stored a record on the subject since. */
export const isWrongSequence = (error: unknown): boolean => WRONG_LAST_SEQUENCE.includes(fieldsOf(error).code);

/** The subject holds a message, and the stream takes one only. */
export const isSubjectTaken = (error: unknown): boolean =>
  fieldsOf(error).code === CODE.storeFailed && /per subject/.test((error as Error).message);

/** No stream takes the subject of a publication, or the server has no JetStream: the client has one error for both. */
export const isNobodyThere = (error: unknown): boolean => fieldsOf(error).name === 'JetStreamNotEnabled';

/**
 * Translates an error of the NATS client. Returns every other error as it is, and every refusal by the server that would
 * be the same the next time.
 * @param what the subject of the message, e.g. `the stream x`
 */
export function translateNatsError(error: unknown, what: string): unknown {
  if (isMnemeError(error)) return error;
  const { name, code, status } = fieldsOf(error);
  if (FULL.includes(code)) return new NatsStorageFullError(`NATS has no room in ${what}`, { cause: error });
  const isUnanswered =
    code === CODE.notAvailable ||
    UNANSWERED_STATUSES.includes(code) ||
    status === 503 ||
    (typeof code !== 'number' && typeof name === 'string' && UNANSWERED_NAMES.has(name));
  return isUnanswered ? new NatsUnreachableError(`NATS does not answer for ${what}`, { cause: error }) : error;
}
