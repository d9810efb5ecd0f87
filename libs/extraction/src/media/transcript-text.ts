import type { Section } from '#kernel';
import type { Segment } from '#speech';
import { normalize } from '../normalize.ts';

/** A pause of this length between two passages begins a paragraph. Seconds. */
const PAUSE = 2;
/** So does the first sentence after this many UTF-16 code units. */
const PARAGRAPH = 500;

/** Writes what was said as paragraphs, with the second at which each passage begins. */
export function transcriptText(segments: readonly Segment[]): { readonly text: string; readonly sections: Section[] } {
  const sections: Section[] = [];
  let text = '';
  let paragraph = 0;
  let last: Segment | null = null;
  for (const segment of segments) {
    const words = normalize(segment.text).replace(/\s+/g, ' ').trim();
    if (words === '') continue;
    if (last !== null) {
      const isLong = text.length - paragraph > PARAGRAPH && /[.?!。？！]$/.test(text);
      const isNew = isLong || segment.startSeconds - last.endSeconds > PAUSE;
      text += isNew ? '\n\n' : ' ';
      if (isNew) paragraph = text.length;
    }
    sections.push([text.length, { startSeconds: Math.round(segment.startSeconds * 100) / 100 }]);
    text += words;
    last = segment;
  }
  return { text, sections };
}
