const NAME_IN_USE = 10_058;
const STREAM_NOT_FOUND = 10_059;
/** The latter from servers that are asked about one subject. */
const WRONG_LAST_SEQUENCE: readonly unknown[] = [10_071, 10_164];
const STORE_FAILED = 10_077;

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

/** Somebody made a stream of this name, with other properties. */
export const isNameInUse = (error: unknown): boolean => codeOf(error) === NAME_IN_USE;

export const isStreamMissing = (error: unknown): boolean => codeOf(error) === STREAM_NOT_FOUND;

/** Somebody stored something meanwhile. */
export const isWrongSequence = (error: unknown): boolean => WRONG_LAST_SEQUENCE.includes(codeOf(error));

/** A message on this subject is there already, and the stream takes one. */
export const isSubjectTaken = (error: unknown): boolean =>
  codeOf(error) === STORE_FAILED && /per subject/.test((error as Error).message);

/** No stream takes this subject; the client calls it JetStream that is not enabled. */
export const isNobodyThere = (error: unknown): boolean => (error as Error | null)?.name === 'JetStreamNotEnabled';
