/** The space cannot be changed. The message is shown to the operator. */
export class SpaceChangeError extends Error {
  override readonly name = 'SpaceChangeError';
}

/** Views were built for a space that no longer serves. The serving views stay. */
export class VectorSpaceChangedError extends Error {
  override readonly name = 'VectorSpaceChangedError';
}
