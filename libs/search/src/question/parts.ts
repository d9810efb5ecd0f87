import { isContentWord, isQuestionWord, wordsOf } from './plain.ts';

const JOINED = /\s*[,;]?\s+(?:and|or|&)\s+|[?;]\s+(?=\p{L})/iu;
const BETWEEN = /\bbetween\b|\bboth\b|["“]/i;

/**
 * Splits a question at "and" and "or", so that each part is searched by itself: "Where does Ann live and what does she
 * eat?" has two questions, "Who likes cats or dogs?" becomes "Who likes cats" and "Who likes dogs".
 * @param most parts
 * @returns empty for a question of one part
 */
export function partsOf(question: string, most: number): readonly string[] {
  if (BETWEEN.test(question)) return [];
  const pieces = question
    .replace(/[?!.\s]+$/u, '')
    .split(JOINED)
    .map((piece) => piece.trim());
  const first = pieces[0] ?? '';
  if (pieces.length < 2 || !pieces.every(saysSomething)) return [];
  return pieces.slice(0, most).map((piece, i) => (i === 0 ? piece : completed(piece, first)));
}

const saysSomething = (piece: string): boolean => wordsOf(piece).some(isContentWord);

/** Gives a part that is no question of its own the beginning of the first one, up to the words that it replaces. */
function completed(piece: string, first: string): string {
  const own = wordsOf(piece);
  if (own.some(isQuestionWord)) return piece;
  const words = wordsOf(first);
  const kept = words[Math.max(0, words.length - own.length)];
  const head = kept === undefined ? '' : first.slice(0, kept.at).trim();
  return head === '' ? piece : `${head} ${piece}`;
}
