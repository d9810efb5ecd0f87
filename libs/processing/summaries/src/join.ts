/** Characters of scripts that put no space between sentences, and their punctuation. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u3000-\\u303f\\uff00-\\uffef]';
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u');
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');

/** Joins texts on one line: by a space, or by nothing between Chinese or Japanese ones. Empty texts are left out. */
export function joinedOnLine(texts: readonly string[]): string {
  let joined = '';
  for (const text of texts) {
    if (text === '') continue;
    // A character has at most two code units; the whole text would be searched.
    const isUnspaced = ENDS_UNSPACED.test(joined.slice(-2)) && BEGINS_UNSPACED.test(text.slice(0, 2));
    joined += joined === '' || isUnspaced ? text : ` ${text}`;
  }
  return joined;
}
