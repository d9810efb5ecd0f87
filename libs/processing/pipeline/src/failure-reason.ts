import type { FailureReason } from '#features/documents';
import { hasCode } from '#platform/kernel';
import { MISSING_CODES, missingIn, UNREADABLE_CODES } from '#processing/extraction';

/** What a document shows of an error that says why it cannot be read. Null: the error says something else. */
export function reasonOf(error: unknown): FailureReason | null {
  if (!hasCode(error, ...UNREADABLE_CODES, ...MISSING_CODES)) return null;
  const { code, message } = error;
  const resource = missingIn(error);
  return { code, message, ...(resource !== null && { resource }) };
}
