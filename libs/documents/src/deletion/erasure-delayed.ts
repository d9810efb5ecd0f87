import { MnemeError } from '#kernel';

/**
 * Documents are deleted and in no answer, but their blobs or vectors could not be removed yet. The garbage collection
 * repeats the removal until it succeeds.
 */
export class ErasureDelayedError extends MnemeError {
  override readonly name = 'ErasureDelayedError';
  override readonly kind = 'transient';
  override readonly code = 'erasure_delayed';

  /** @param documents how many of the deleted ones */
  constructor(documents: number, options: ErrorOptions = {}) {
    super(`What ${documents} deleted documents have stored could not be removed yet`, options);
  }
}
