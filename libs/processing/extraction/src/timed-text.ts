import type { Section } from '#platform/kernel';
import { normalize } from './normalize.ts';

/** Words with the seconds from which to which they are said. */
export interface TimedPassage {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  /** Null or absent: not known. */
  readonly speaker?: string | null;
  /** Another person begins here than before. */
  readonly isChange?: boolean;
}

/** A pause of this length between two passages begins a paragraph. Seconds. */
export const PAUSE = 2;
/** So does the first sentence after this many UTF-16 code units. */
const PARAGRAPH = 500;

/** Ends a sentence of captions. */
export const SENTENCE_END = /[.?!。？！]["'”’»)]*$/;

interface TimedTextOptions {
  /** Matches a text that ends with the end of a sentence. */
  readonly sentenceEnd: RegExp;
  /** A longer paragraph ends with any passage. UTF-16 code units. Default: only a sentence or a pause ends it. */
  readonly longest?: number;
  /** Whether the words of a passage are left out. */
  readonly omits?: (words: string) => boolean;
}

/** Writes passages as paragraphs, or as turns of speakers, with the second at which each passage begins. */
export function timedText(
  passages: readonly TimedPassage[],
  { sentenceEnd, longest = Number.POSITIVE_INFINITY, omits = () => false }: TimedTextOptions,
): { readonly text: string; readonly sections: Section[] } {
  const sections: Section[] = [];
  let text = '';
  let paragraph = 0;
  let last: TimedPassage | null = null;
  let lastWords = '';
  /** A change of persons whose first words are left out. */
  let isChanged = false;
  for (const passage of passages) {
    isChanged ||= passage.isChange === true;
    const words = normalize(passage.text).replace(/\s+/g, ' ').trim();
    if (words === '' || omits(words)) continue;
    const speaker = passage.speaker ?? null;
    const before = last?.speaker ?? null;
    const length = text.length - paragraph;
    const isLong = length > longest || (length > PARAGRAPH && sentenceEnd.test(lastWords));
    const isNew =
      last === null || isLong || isChanged || speaker !== before || passage.startSeconds - last.endSeconds > PAUSE;
    if (last !== null) text += !isNew ? ' ' : speaker !== null && before !== null ? '\n' : '\n\n';
    const location = { startSeconds: Math.round(passage.startSeconds * 100) / 100 };
    if (isNew) paragraph = text.length;
    if (isNew && speaker !== null) {
      const start = text.length;
      text += `${speaker}: `;
      sections.push([start, location, { speaker, words: text.length }]);
    } else {
      sections.push(isNew && before !== null ? [text.length, location, null] : [text.length, location]);
    }
    text += words;
    last = passage;
    lastWords = words;
    isChanged = false;
  }
  return { text, sections };
}
