import { mnemeError } from '#platform/kernel';

/**
 * Documents are deleted and in no answer, but their blobs or vectors could not be removed yet. The garbage collection
 * repeats the removal until it succeeds.
 */
export class ErasureDelayedError extends mnemeError('transient', 'erasure_delayed') {
  /** Documents that were deleted. */
  readonly deleted: number;
  /** Of these, documents whose blobs or vectors are still there. */
  readonly unerased: number;

  constructor(
    { deleted, unerased }: { readonly deleted: number; readonly unerased: number },
    options: ErrorOptions = {},
  ) {
    super(`What ${unerased} of ${deleted} deleted documents have stored could not be removed yet`, options);
    this.deleted = deleted;
    this.unerased = unerased;
  }
}
