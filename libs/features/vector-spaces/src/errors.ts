import { mnemeError } from '#platform/kernel';

/** The space cannot be changed. The message is shown to the operator. */
export class SpaceChangeError extends mnemeError('permanent', 'space_not_changed') {}

/** Views were built for a space that no longer serves. The serving views stay. */
export class VectorSpaceChangedError extends mnemeError('fenced', 'vector_space_changed') {}

/** Many documents in a row cannot be embedded, or keep their former vectors, so the cause is hardly in each of them. */
export class DocumentsFailError extends mnemeError('transient', 'documents_fail') {}
