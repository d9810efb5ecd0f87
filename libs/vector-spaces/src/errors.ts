import { MnemeError } from '#kernel';

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
