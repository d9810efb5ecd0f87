import { analyse } from '../analysis/analyse.ts';
import { isStopWord, stem } from '../analysis/english.ts';
import { termHash } from '../analysis/hash.ts';
import { alphabetOf, COST, editsOf } from './edits.ts';
import { isContentWord, wordsOf } from './plain.ts';

/** A word of a question that may be misspelt. */
export interface SpelledWord {
  /** Folded. */
  readonly word: string;
  /** Of its term in the index. */
  readonly hash: number;
}

/** Another spelling of a word. */
export interface Spelling extends SpelledWord {
  /** Higher: less likely meant. */
  readonly cost: number;
}

const SHORTEST = 4;
const LONGEST = 24;
/**
 * A short word at one edit is often another word: "house" is not meant for "horse". From which length on is looked for: a
 * missing letter or another vowel (`length`), any other letter (`letter`), a mistake at the beginning, and two exchanged or
 * doubled letters (`beginning`).
 */
const LENGTHS = { length: 6, letter: 7, beginning: 8 } as const;
/** Of one word, those of least cost. */
const MOST_SPELLINGS = 800;
/** Words of one question, the longest, which are usually the rarest. */
const MOST_WORDS = 16;

/** Returns the words of a question whose spelling may be varied: content words of letters only, one of each term. */
export function spelledWords(question: string): readonly SpelledWord[] {
  const words = wordsOf(question).filter((word) => isContentWord(word) && isVaried(word.folded));
  const byTerm = new Map(words.map(({ folded: word }) => [termHash(stem(word)), word]));
  const longest = [...byTerm].sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_WORDS);
  return longest.map(([hash, word]) => ({ word, hash }));
}

const isVaried = (word: string): boolean =>
  word.length >= SHORTEST && word.length <= LONGEST && alphabetOf(word) !== null;

/**
 * Returns the other spellings of a word, the likeliest first, each with another term.
 * @param isKnown whether the container has the word. Then only those that are usual variants of one word, as "colour" of
 * "color": a name of one letter's difference is another name.
 */
export function spellingsOf({ word, hash }: SpelledWord, isKnown: boolean): readonly Spelling[] {
  const letters = alphabetOf(word);
  if (letters === null) return [];
  const costs = editsOf(word, letters, isKnown ? COST.sound : mostFor(word));
  if (!isKnown && word.length >= LENGTHS.letter) {
    for (const edited of editsOf(word, letters, COST.doubled).keys()) {
      for (const twice of editsOf(edited, letters, COST.doubled).keys()) {
        if (twice !== word && !costs.has(twice)) costs.set(twice, 2 * COST.doubled);
      }
    }
  }
  const byTerm = new Map<number, Spelling>();
  for (const [edited, cost] of [...costs].sort(([, a], [, b]) => a - b).slice(0, MOST_SPELLINGS)) {
    if (isStopWord(edited)) continue;
    const term = termHash(stem(edited));
    if (term !== hash && !byTerm.has(term)) byTerm.set(term, { word: edited, hash: term, cost });
  }
  return [...byTerm.values()];
}

function mostFor({ length }: string): number {
  if (length < LENGTHS.length) return COST.sound;
  if (length < LENGTHS.letter) return COST.length;
  return length < LENGTHS.beginning ? COST.letter : COST.letter + COST.beginning;
}

const ENDINGS: ReadonlySet<string> = new Set(['', ...'s es d ed e n en ing r er ers y ies ied ly'.split(' ')]);

/**
 * Returns a spelling as a text has it, perhaps with another ending, but folded. Null: the text does not have it. Words of one
 * term need not be forms of one word: "commun", at one edit of "common", has the term of "community".
 */
export function writtenAs(text: string, { word, hash }: SpelledWord): string | null {
  const found = wordsOf(text).find(
    ({ folded }) => haveOneBase(word, folded) && analyse(folded).some((term) => termHash(term) === hash),
  );
  return found?.folded ?? null;
}

function haveOneBase(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return ENDINGS.has(a.slice(same)) && ENDINGS.has(b.slice(same));
}
