import type { DeletionTotals, Selection } from '#features/documents';
import type { Count } from '../openapi/scalars.ts';

const SENTENCES = {
  not_found: 'Document not found',
  forbidden: 'The key does not permit this',
  ambiguous_custom_id: 'Several documents have this customId',
} as const;

/** A document that was not deleted. */
class BulkDeletionError {
  /** As the request names it. */
  readonly id!: string;
  /** The reason, in a sentence. */
  readonly error!: string;
}

/** Result of a bulk deletion. */
export class BulkDeletion {
  /** True if there are no errors. */
  readonly success!: boolean;
  /** Number of documents that were deleted. */
  readonly deletedCount!: Count;
  /** The documents that were not deleted. Absent if there are none. */
  readonly errors?: readonly BulkDeletionError[];
  /** Only if the request names tags. */
  readonly containerTags?: readonly string[];
}

export function bulkDeletion({ deletedCount, errors }: DeletionTotals, selection: Selection): BulkDeletion {
  return {
    success: errors.length === 0,
    deletedCount,
    ...(errors.length > 0 && { errors: errors.map(({ id, error }) => ({ id, error: SENTENCES[error] })) }),
    ...(selection.by === 'tags' && { containerTags: selection.tags }),
  };
}
