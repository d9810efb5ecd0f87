import { isStopWord } from '../analysis/english.ts';
import { foldText } from '../analysis/fold.ts';
import { wordHashes } from '../analysis/query-terms.ts';
import { alphabetOf, COST, editsOf } from './edits.ts';
import { isContentWord, wordsOf } from './plain.ts';

/** A word of a question that may be misspelt. */
export interface SpelledWord {
  /** Folded. */
  readonly word: string;
  /** Of its terms in the index, distinct: one for each language of the scope in which it has another stem. */
  readonly hashes: readonly number[];
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

/**
 * Returns the words of a question whose spelling may be varied: content words of letters only, one of each term.
 * @param languages of the scope, English apart
 */
export function spelledWords(question: string, languages: readonly string[] = []): readonly SpelledWord[] {
  const words = wordsOf(question).filter((word) => isContentWord(word) && isVaried(word.folded));
  const spelled = words.map(({ folded: word, text }) => {
    const written = text.toLowerCase();
    return { word, hashes: wordHashes(foldText(written) === word ? written : word, languages) };
  });
  const byTerm = new Map(spelled.map((word) => [word.hashes[0], word]));
  return [...byTerm.values()].sort((a, b) => b.word.length - a.word.length).slice(0, MOST_WORDS);
}

const isVaried = (word: string): boolean =>
  word.length >= SHORTEST && word.length <= LONGEST && alphabetOf(word) !== null;

/**
 * Returns the other spellings of a word, the likeliest first, each with another term.
 * @param isKnown whether the container has the word. Then only those that are usual variants of one word, as "colour" of
 * "color": a name of one letter's difference is another name.
 * @param languages of the scope, English apart
 */
export function spellingsOf(
  { word, hashes }: SpelledWord,
  isKnown: boolean,
  languages: readonly string[] = [],
): readonly Spelling[] {
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
    const terms = wordHashes(edited, languages);
    const term = terms[0] as number;
    if (term !== hashes[0] && !byTerm.has(term)) byTerm.set(term, { word: edited, hashes: terms, cost });
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
 * @param languages of the scope, English apart
 */
export function writtenAs(
  text: string,
  { word, hashes }: SpelledWord,
  languages: readonly string[] = [],
): string | null {
  const found = wordsOf(text).find(
    ({ folded }) => haveOneBase(word, folded) && wordHashes(folded, languages).some((hash) => hashes.includes(hash)),
  );
  return found?.folded ?? null;
}

function haveOneBase(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return ENDINGS.has(a.slice(same)) && ENDINGS.has(b.slice(same));
}
