import type { Passage } from './port.ts';

/** A passage that holds less than this share of its limit does not end at an anchor. */
const LEAST = { chunk: 0.4, memory: 0.25, window: 0.4 } as const;
/** Maximum share of the parts that are anchors. */
const MOST_ANCHORS = 0.33;
/** Anchors per part that would fill a passage alone. */
const ANCHORS_PER_PASSAGE = 1.6;

/**
 * Returns whether a passage ends before a part for which it still has room. Parts whose text has a low hash are anchors:
 * passages end there whatever precedes them. So the boundaries in a long text are the same again a few passages after a
 * change, and the passages that follow keep their ids and vectors. A passage that were always filled to its limit would
 * move every later boundary.
 *
 * The result does not depend on what follows the part, so text at the end of a document changes only its last passage.
 * @param filled share of the limit that the passage holds, 0…1
 * @param share share of the limit that the part takes, 0…1
 */
export function endsBefore(
  kind: keyof typeof LEAST,
  text: string,
  part: Passage,
  filled: number,
  share: number,
): boolean {
  if (filled < LEAST[kind]) return false;
  return hashOf(text, part.start, part.end) < Math.min(MOST_ANCHORS, share * ANCHORS_PER_PASSAGE);
}

/** Returns a hash of `[start, end)` as a number from 0 to below 1 (FNV-1a over code units, with the finalizer of MurmurHash3). */
export function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let position = start; position < end; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
