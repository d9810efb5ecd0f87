import { isStopWord } from '../analysis/english.ts';
import { foldText } from '../analysis/fold.ts';
import { CALENDAR_NAMES } from '../dates/names.ts';

/** A word with what joins its parts, as `o'clock` and `FW-1187`. */
const WORDS = /[\p{L}\p{N}\p{M}]+(?:['’_.:@-][\p{L}\p{N}\p{M}]+)*/gu;
const POSSESSIVE = /['’]s$/;

const QUESTION_WORDS: ReadonlySet<string> = new Set(
  (
    'who whom whose what which when where why how did do does is are was were am be been being has have had will would ' +
    'can could should shall may might must many much long often ago there tell me please know'
  ).split(' '),
);
/** Capitals that begin no name of a person, place or thing. */
const CAPITALS: ReadonlySet<string> = new Set(['i', ...CALENDAR_NAMES.map((name) => name.toLowerCase())]);

interface Word {
  /** As it is written. */
  readonly text: string;
  /** Folded, without a possessive ending. */
  readonly folded: string;
  readonly at: number;
  readonly beginsSentence: boolean;
}

/** Returns the words of a question in their order. */
export function wordsOf(question: string): Word[] {
  let end = 0;
  return Array.from(question.matchAll(WORDS), ({ 0: text, index }) => {
    const beginsSentence = end === 0 || /[.?!:;\n]/.test(question.slice(end, index));
    end = index + text.length;
    return { text, folded: foldText(text).replace(POSSESSIVE, ''), at: index, beginsSentence };
  });
}

export const isQuestionWord = ({ folded }: Word): boolean => QUESTION_WORDS.has(folded);

/** Returns whether a word has a meaning of its own. */
export const isContentWord = (word: Word): boolean => !isQuestionWord(word) && !isStopWord(word.folded);

/**
 * Returns whether a word is written as a name. At the beginning of a sentence every word has a capital, so there only a
 * possessive is one.
 */
export function isName({ text, folded, beginsSentence }: Word): boolean {
  if (!/^\p{Lu}\p{Ll}/u.test(text) || CAPITALS.has(folded)) return false;
  return !beginsSentence || (POSSESSIVE.test(text) && !QUESTION_WORDS.has(folded));
}

/** Fewer words of content say too little by themselves. */
const LEAST_WORDS = 2;

/**
 * Returns a question without question words and names: what is left is nearer to the words of an answer. Null: nothing was
 * left out, or too little is left.
 */
export function withoutQuestionWords(question: string): string | null {
  const words = wordsOf(question);
  const kept = words.filter((word) => !isQuestionWord(word) && !isName(word));
  if (kept.length === words.length || kept.filter(isContentWord).length < LEAST_WORDS) return null;
  return kept.map(({ text }) => text).join(' ');
}
