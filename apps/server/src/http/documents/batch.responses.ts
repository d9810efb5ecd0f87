import type { AddedItem, BatchItem } from '#features/documents/use-cases';
import { InputError } from '#platform/input';
import type { ApiError } from '../errors/api-error.ts';
import { refusalError } from '../errors/refusals.ts';
import type { Count } from '../openapi/scalars.ts';
import { type Status, type StatusWords, statusOf } from './status-words.ts';

/** What happened to one document of a batch. */
class BatchResult {
  /** Empty if the document was refused. */
  readonly id!: string;
  /** Status of the document, or `error` if it was refused. */
  readonly status!: Status | 'error';
  /** Why the document was refused. */
  readonly error?: string;
  /** The wrong field. */
  readonly details?: string;
}

/** Results of a batch. */
export class BatchResults {
  /** In the order of the request. */
  readonly results!: readonly BatchResult[];
  /** Number of documents that were accepted. */
  readonly success!: Count;
  /** Number of documents that were refused. */
  readonly failed!: Count;
}

/** @param added of the items that are no errors, in their order */
export function batchResults(
  items: readonly BatchItem[],
  added: readonly AddedItem[],
  words: StatusWords,
): BatchResults {
  let next = 0;
  const results = items.map((item): BatchResult => {
    if (item instanceof InputError) return errorOf(item);
    const result = added[next++] as AddedItem;
    if (!result.ok) return errorOf(refusalError(result.error));
    return { id: result.value.id, status: statusOf(result.value.status, words) };
  });
  const failed = results.filter(({ status }) => status === 'error').length;
  return { results, success: results.length - failed, failed };
}

const errorOf = ({ message, details }: ApiError | InputError): BatchResult => ({
  ...{ id: '', status: 'error', error: message },
  ...(details === null ? {} : { details }),
});
