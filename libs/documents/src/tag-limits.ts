const MAX_TAGS = 64;
/** As JSON. */
const MAX_TAG_BYTES = 8 * 1024;

/** Whether a document may not get these tags. Each of its events holds all of them, and an append has a limit. */
export const exceedsTagLimits = (tags: readonly string[]): boolean =>
  tags.length > MAX_TAGS || Buffer.byteLength(JSON.stringify(tags)) > MAX_TAG_BYTES;
