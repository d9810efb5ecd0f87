/** Of one document. */
export const MAX_DOCUMENT_TAGS = 64;
/** Of all tags of one document as JSON. */
export const MAX_TAG_BYTES = 8 * 1024;

/** Whether a document may not get these tags. Each of its events holds all of them, and an append has a limit. */
export const exceedsTagLimits = (tags: readonly string[]): boolean =>
  tags.length > MAX_DOCUMENT_TAGS || Buffer.byteLength(JSON.stringify(tags)) > MAX_TAG_BYTES;
