import type { Section } from '#platform/kernel';
import { normalize } from './normalize.ts';

/** Words with the seconds from which to which they are said. */
export interface TimedPassage {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
}

/** A pause of this length between two passages begins a paragraph. Seconds. */
const PAUSE = 2;
/** So does the first sentence after this many UTF-16 code units. */
const PARAGRAPH = 500;

interface TimedTextOptions {
  /** Matches a text that ends with the end of a sentence. */
  readonly sentenceEnd: RegExp;
  /** A longer paragraph ends with any passage. UTF-16 code units. Default: only a sentence or a pause ends it. */
  readonly longest?: number;
  /** Whether the words of a passage are left out. */
  readonly omits?: (words: string) => boolean;
}

/** Writes passages as paragraphs, with the second at which each passage begins. */
export function timedText(
  passages: readonly TimedPassage[],
  { sentenceEnd, longest = Number.POSITIVE_INFINITY, omits = () => false }: TimedTextOptions,
): { readonly text: string; readonly sections: Section[] } {
  const sections: Section[] = [];
  let text = '';
  let paragraph = 0;
  let last: TimedPassage | null = null;
  for (const passage of passages) {
    const words = normalize(passage.text).replace(/\s+/g, ' ').trim();
    if (words === '' || omits(words)) continue;
    if (last !== null) {
      const length = text.length - paragraph;
      const isLong = length > longest || (length > PARAGRAPH && sentenceEnd.test(text));
      const isNew = isLong || passage.startSeconds - last.endSeconds > PAUSE;
      text += isNew ? '\n\n' : ' ';
      if (isNew) paragraph = text.length;
    }
    sections.push([text.length, { startSeconds: Math.round(passage.startSeconds * 100) / 100 }]);
    text += words;
    last = passage;
  }
  return { text, sections };
}
