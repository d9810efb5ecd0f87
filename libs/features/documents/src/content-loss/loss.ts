import { hasCode } from '#platform/kernel';
import type { EventEnvelope } from '#ports/event-store';

/** Code of the failure when a blob or a key that an event names is missing. */
const CONTENT_MISSING = 'content_missing';

/** Returns why a document cannot be read, as a sentence without its full stop, or null if the error is no loss. */
export function lossIn(error: unknown): string | null {
  if (hasCode(error, 'blob_missing', 'blob_damaged')) return error.message;
  return hasCode(error, 'stream_key_missing') ? 'the key that it is sealed with is gone' : null;
}

/** The failure of a document that has lost part of its content. */
export const lossFailure = (reason: string): { readonly code: string; readonly message: string } => ({
  code: CONTENT_MISSING,
  message: `Something that this document consists of is missing: ${reason}. Retry it once that is back`,
});

/** Whether an event records that its document has lost part of its content. */
export const isLossEvent = ({ type, code }: EventEnvelope): boolean =>
  type === 'ProcessingFailed' && code === CONTENT_MISSING;
