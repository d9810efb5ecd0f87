import { MnemeError } from '#platform/kernel';

/** A blob that an event names is not there. */
export class MissingBlobError extends MnemeError {
  override readonly name = 'MissingBlobError';
  override readonly kind = 'permanent';
  override readonly code = 'blob_missing';
}
