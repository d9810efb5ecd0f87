import type { EventEnvelope } from '#event-store';

/** Code of the failure when a blob or a key that an event names is missing. */
const CONTENT_MISSING = 'content_missing';

/**
 * Why a document cannot be read, as a sentence without its full stop. Null: the error reports no loss. By name, because it
 * may come from another thread.
 */
export function lossIn(error: unknown): string | null {
  const { name, message } = error as Error;
  if (name === 'MissingBlobError') return message;
  return name === 'MissingStreamKeyError' ? 'the key that it is sealed with is gone' : null;
}

/** The failure of a document that has lost part of its content. */
export const lossFailure = (reason: string): { readonly code: string; readonly message: string } => ({
  code: CONTENT_MISSING,
  message: `Something that this document consists of is missing: ${reason}. Retry it once that is back`,
});

/** Whether an event records that its document has lost part of its content. */
export const isLossEvent = ({ type, code }: EventEnvelope): boolean =>
  type === 'ProcessingFailed' && code === CONTENT_MISSING;
