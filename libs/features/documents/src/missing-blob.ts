import { mnemeError } from '#platform/kernel';

/** A blob that an event names is not there. */
export class MissingBlobError extends mnemeError('permanent', 'blob_missing') {}
