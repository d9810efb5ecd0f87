import { lossIn } from './content-loss/loss.ts';
import type { TextRef } from './events.ts';
import { MOST_BYTES, textLength } from './size.ts';
import type { DocumentTexts } from './texts.ts';

/** Content that one answer may hold. Bytes of UTF-8. */
const MAX_BYTES = 64_000_000;

/**
 * Decides which contents one answer holds: in order, each one that still has room. No content is read.
 * @param contents the parts of each record's content; null: it has none
 */
export async function haveRoom(
  texts: DocumentTexts,
  contents: readonly (readonly TextRef[] | null)[],
): Promise<readonly boolean[]> {
  const lengths = contents.map((parts) => (parts ?? []).reduce((sum, part) => sum + textLength(part), 0));
  // Most answers are short, and then no blob is looked at.
  if (lengths.reduce((sum, length) => sum + length * MOST_BYTES, 0) <= MAX_BYTES) return contents.map(() => true);
  let left = MAX_BYTES;
  const held: boolean[] = [];
  for (const [i, parts] of contents.entries()) {
    const bytes = (lengths[i] ?? 0) > left ? Number.POSITIVE_INFINITY : await bytesOf(texts, parts ?? []);
    held.push(bytes <= left);
    if (bytes <= left) left -= bytes;
  }
  return held;
}

/** 0 for a content that is lost, which the answer shows as null. */
async function bytesOf(texts: DocumentTexts, parts: readonly TextRef[]): Promise<number> {
  try {
    return await texts.size(parts);
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return 0;
  }
}
