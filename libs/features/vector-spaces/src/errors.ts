import { MnemeError } from '#platform/kernel';

/** The space cannot be changed. The message is shown to the operator. */
export class SpaceChangeError extends MnemeError {
  override readonly name = 'SpaceChangeError';
  override readonly kind = 'permanent';
  override readonly code = 'space_not_changed';
}

/** Views were built for a space that no longer serves. The serving views stay. */
export class VectorSpaceChangedError extends MnemeError {
  override readonly name = 'VectorSpaceChangedError';
  override readonly kind = 'fenced';
  override readonly code = 'vector_space_changed';
}

/** Many documents in a row cannot be embedded, or keep their former vectors, so the cause is hardly in each of them. */
export class DocumentsFailError extends MnemeError {
  override readonly name = 'DocumentsFailError';
  override readonly kind = 'transient';
  override readonly code = 'documents_fail';
}
