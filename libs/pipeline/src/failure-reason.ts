import type { FailureReason } from '#documents';
import { MISSING_CODES, missingIn, UNREADABLE_CODES } from '#extraction';
import { hasCode } from '#kernel';

/** What a document shows of an error that says why it cannot be read. Null: the error says something else. */
export function reasonOf(error: unknown): FailureReason | null {
  if (!hasCode(error, ...UNREADABLE_CODES, ...MISSING_CODES)) return null;
  const { code, message } = error;
  const resource = missingIn(error);
  return { code, message, ...(resource !== null && { resource }) };
}
