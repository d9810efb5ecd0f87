import type { Location, Section } from '#platform/kernel';
import { clip } from './characters.ts';
import type { TextPart } from './parts.ts';
import type { Passage } from './port.ts';
import type { Block } from './structure.ts';

/** Longest heading of a location, in UTF-16 code units. */
const MAX_HEADING = 200;

/** Returns the passages of a part with its headings and its date. `passages`: in the order of the text. */
export function inPart<P extends Passage>(
  text: string,
  { blocks, date }: TextPart,
  passages: readonly P[],
): readonly P[] {
  const headings = blocks.filter((block) => isMarkedHeading(text, block));
  if (headings.length === 0 && date === null) return passages;
  const headingOf = headingsAlong(text, headings);
  return passages.map((passage) => {
    const heading = headingOf(passage);
    return placed(passage, { ...(heading !== null && { heading }), ...(date !== null && { date }) });
  });
}

/** Returns the passages of a text with their pages, sheets, rows and times. `passages`: in the order of the text. */
export function inSections<P extends Passage>(
  text: string,
  sections: readonly Section[],
  passages: readonly P[],
): readonly P[] {
  if (sections.length === 0) return passages;
  const sectionOf = sectionsAlong(text, sections);
  return passages.map((passage) => placed(passage, { ...passage.location, ...sectionOf(passage) }));
}

const placed = <P extends Passage>(passage: P, location: Location): P =>
  Object.keys(location).length === 0 ? passage : { ...passage, location };

/** Where chunks end, so that each is on one page or sheet. The rows of a table may share a chunk. */
export const breaksOf = (sections: readonly Section[]): readonly number[] =>
  sections.flatMap(([start, { page, sheet }], i) => {
    const before = sections[i - 1]?.[1];
    return page === before?.page && sheet === before?.sheet ? [] : [start];
  });

/** With a Markdown mark. Other headings follow from the form of a line, and may be none. */
const isMarkedHeading = (text: string, { kind, start, end }: Block): boolean =>
  kind === 'heading' && (text[start] === '#' || text.slice(start, end).includes('\n'));

/** The nearest heading before a passage, or the last of those that it begins with. */
function headingsAlong(text: string, headings: readonly Block[]): (passage: Passage) => string | null {
  let next = 0;
  let words: string | null = null;
  return ({ start, end }) => {
    const before = next;
    while (next < headings.length && (headings[next] as Block).start <= start) next++;
    const first = headings[next - 1];
    if (first?.start === start) {
      for (let last = first.end; next < headings.length; next++) {
        const heading = headings[next] as Block;
        if (heading.start >= end || text.slice(last, heading.start).trim() !== '') break;
        last = heading.end;
      }
    }
    if (next !== before) words = headingWords(text, headings[next - 1] as Block);
    return words;
  };
}

function headingWords(text: string, { start, end }: Block): string | null {
  const [line = ''] = text.slice(start, end).split('\n', 1);
  const words = line
    .replace(/^#{1,6}\s+/, '')
    .replace(/\s+#+$/, '')
    .replace(/\*\*|__|`/g, '');
  return clip(words, MAX_HEADING) || null;
}

function sectionsAlong(text: string, sections: readonly Section[]): (passage: Passage) => Location | null {
  let next = 0;
  let counted = 0;
  let row = 0;
  return ({ start }) => {
    while (next < sections.length && (sections[next] as Section)[0] <= start) {
      counted = (sections[next] as Section)[0];
      row = (sections[next] as Section)[1].row ?? 0;
      next++;
    }
    const section = sections[next - 1];
    if (section === undefined) return null;
    const [, location] = section;
    if (location.row === undefined) return location;
    for (;;) {
      const record = text.indexOf('\n- ', counted);
      if (record === -1 || record >= start) break;
      counted = record + 1;
      // The line with which the section begins is its first row.
      if (record + 1 > section[0]) row++;
    }
    return { ...location, row };
  };
}
