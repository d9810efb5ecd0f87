import { isContentWord, isName, isQuestionWord, wordsOf } from './plain.ts';
import { withoutEnd } from './readable.ts';

const JOINED = /(?:\s?[,;])?\s(?:and|or|&)\s/iu;
const SENTENCES = /[?;]\s+(?=\p{L})/u;
const BETWEEN = /\bbetween\b|\bboth\b|["“]/i;

/**
 * Splits a question at "and" and "or", so that each part is searched by itself: "Where does Ann live and what does she
 * eat?" has two questions, "Who likes cats or dogs?" becomes "Who likes cats" and "Who likes dogs".
 * @param most parts
 * @returns empty for a question of one part
 */
export function partsOf(question: string, most: number): readonly string[] {
  if (BETWEEN.test(question)) return [];
  const sentences = withoutEnd(question, /[?!.\s]/).split(SENTENCES);
  const parts = sentences.flatMap((sentence) => piecesOf(sentence.trim()));
  return parts.length < 2 ? [] : parts.slice(0, most);
}

function piecesOf(sentence: string): readonly string[] {
  const pieces = sentence.split(JOINED).map((piece) => piece.trim());
  const first = pieces[0] ?? '';
  if (!pieces.every(saysSomething)) return wordsOf(sentence).some(isContentWord) ? [sentence] : [];
  return pieces.map((piece, i) => (i === 0 ? piece : completed(piece, first)));
}

/** A name alone asks for nothing: "When did Ann and Tom meet?" is one question. */
const saysSomething = (piece: string): boolean => wordsOf(piece).some((word) => isContentWord(word) && !isName(word));

/** Gives a part that is no question of its own the beginning of the first one, up to the words that it replaces. */
function completed(piece: string, first: string): string {
  const own = wordsOf(piece);
  if (own.some(isQuestionWord)) return piece;
  const words = wordsOf(first);
  const kept = words[Math.max(0, words.length - own.length)];
  const head = kept === undefined ? '' : first.slice(0, kept.at).trim();
  return head === '' ? piece : `${head} ${piece}`;
}
