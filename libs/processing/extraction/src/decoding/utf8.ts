/** Bytes that are decoded at once. */
const PIECE = 1024 * 1024;
/** At most one sequence in so many may be broken. */
const PER_BROKEN = 100;
/** A shorter text may have one that is broken, if it has so many characters beyond ASCII. */
const LEAST_WHOLE = 3;

/**
 * What bytes are that are no valid UTF-8: UTF-8 with few broken sequences; UTF-8 with many; ASCII with few other bytes; or
 * something else.
 */
type Utf8Damage = 'few' | 'many' | 'ascii' | 'other';

/** Compares bytes with UTF-8. Ends as soon as too many sequences are broken. */
export function utf8Damage(bytes: Uint8Array): Utf8Damage {
  const decoder = new TextDecoder();
  let [characters, whole, broken] = [0, 0, 0];
  for (let start = 0; start < bytes.length; start += PIECE) {
    const end = start + PIECE;
    const text = decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length });
    characters += text.length;
    for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
      if (character !== '\ufffd') whole += 1;
      else broken += 1;
      if (broken * PER_BROKEN > bytes.length && broken > 1) return whole > broken ? 'many' : 'other';
    }
  }
  if (broken * PER_BROKEN <= characters) return whole >= broken ? 'few' : 'ascii';
  if (broken === 1 && whole >= LEAST_WHOLE) return 'few';
  return whole > broken ? 'many' : 'other';
}
