/**
 * Words that differ from a word by a common misspelling. A cost is higher for what is less often meant.
 *
 * - 1: two neighbouring letters exchanged, a letter doubled or not
 * - 2: a letter of the same sound, a silent letter; 2.5: another vowel
 * - 3: a letter left out or added; 4: the letter of a key beside it. Both cost more at the beginning of a word, which is
 *   seldom misspelt.
 */
export const COST = { doubled: 1, sound: 2, vowel: 2.5, length: 3, letter: 4, beginning: 2 } as const;

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абвгдежзиклмнопрстуфхцчшщъыьэюя';
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω';
const ALPHABETS = [LATIN, CYRILLIC, GREEK].map((letters) => ({ letters, matches: new RegExp(`^[${letters}]+$`) }));

const VOWELS = 'aeiouyаеиоуыэюяαεηιουω';
const SAME_SOUND = ['ck', 'cs', 'sz', 'iy', 'ij', 'gj', 'dt', 'bp', 'fv', 'vw', 'qk', 'mn'];
const sounds = new Set(SAME_SOUND.flatMap((pair) => [pair, [...pair].reverse().join('')]));
const SILENT = 'heu';

const KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** Tests whether two letters are beside each other on an English keyboard. */
function areNeighbours(a: string, b: string): boolean {
  const [row, other] = [a, b].map((letter) => KEYS.findIndex((keys) => keys.includes(letter))) as [number, number];
  if (row < 0 || other < 0 || Math.abs(row - other) > 1) return false;
  const apart = (KEYS[row] as string).indexOf(a) - (KEYS[other] as string).indexOf(b);
  // Each row begins half a key to the right of the one above.
  return row === other ? Math.abs(apart) === 1 : row < other ? apart === 0 || apart === 1 : apart === 0 || apart === -1;
}

/** Returns the letters of the script that a folded word is written in; null for anything but a word of one of them. */
export const alphabetOf = (word: string): string | null =>
  ALPHABETS.find(({ matches }) => matches.test(word))?.letters ?? null;

/**
 * Returns the words at one edit, each with its least cost.
 * @param word folded, of one script
 * @param most leaves out edits that cost more
 */
export function editsOf(word: string, letters: string, most: number): Map<string, number> {
  const found = new Map<string, number>();
  const offer = (edited: string, cost: number, at: number): void => {
    const whole = at === 0 && cost > COST.sound ? cost + COST.beginning : cost;
    if (whole <= most && edited !== word && whole < (found.get(edited) ?? Infinity)) found.set(edited, whole);
  };
  for (let at = 0; at <= word.length; at++) {
    const [before, here, after] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)];
    if (here !== '') {
      if (after !== '') offer(before + after[0] + here + after.slice(1), COST.doubled, at);
      offer(before + after, lengthCost(here, word[at - 1], word[at + 1]), at);
      for (const letter of letters) offer(before + letter + after, letterCost(here, letter), at);
    }
    for (const letter of letters) offer(before + letter + here + after, lengthCost(letter, word[at - 1], here), at);
  }
  return found;
}

/** Of a letter that is added or left out between two others. */
function lengthCost(letter: string, before: string | undefined, after: string | undefined): number {
  if (letter === before || letter === after) return COST.doubled;
  return SILENT.includes(letter) ? COST.sound : COST.length;
}

function letterCost(from: string, to: string): number {
  if (sounds.has(from + to)) return COST.sound;
  if (VOWELS.includes(from) && VOWELS.includes(to)) return COST.vowel;
  return areNeighbours(from, to) ? COST.letter : Infinity;
}
