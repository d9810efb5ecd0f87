import { joinedOnLine } from './join.ts';

/** A passage of a document, as it was formed. */
export interface SummaryPassage {
  /** Index among the passages of the document. */
  readonly place: number;
  readonly text: string;
  readonly speaker: string | null;
}

/** A passage that a summary may show. */
export interface Candidate {
  /** Index among the passages of the document. */
  readonly place: number;
  /** On one line, without headings and marks of Markdown. */
  readonly text: string;
  /** A turn of a conversation or a record of a table, which has a line of its own. */
  readonly isLine: boolean;
}

/** Of a longer document this many passages are compared, so that a book takes no longer than an article. */
const MOST_CONSIDERED = 500;

const HEADING = /^#{1,6}\s+/;
const LIST_MARK = /^(?:[-*+•>]|\d{1,3}[.)])\s+/;
const MARKS = /\*\*|__|`/g;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Returns the indexes of the passages that are compared, spread evenly over the document. @param count of all passages */
export function consideredPlaces(count: number): readonly number[] {
  const considered = Math.min(count, MOST_CONSIDERED);
  return Array.from({ length: considered }, (_, i) => Math.floor((i * count) / considered));
}

/**
 * Returns each different passage once, in order. Headings without text count only where nothing else is there, and marks of
 * Markdown where not even these are.
 */
export function candidatesOf(passages: readonly SummaryPassage[]): readonly Candidate[] {
  for (const shown of [bodyOf, readable, onOneLine]) {
    const candidates = distinct(passages.map((passage) => candidateOf(passage, shown(passage.text))));
    if (candidates.length > 0) return candidates;
  }
  return [];
}

const candidateOf = ({ place, text, speaker }: SummaryPassage, shown: string): Candidate => ({
  ...{ place, text: shown, isLine: speaker !== null || text.startsWith('- ') },
});

function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Set(['']);
  return candidates.filter(({ text }) => !seen.has(text) && seen.add(text));
}

const bodyOf = (text: string): string =>
  readable(
    text
      .split('\n')
      .filter((line) => !HEADING.test(line) && HAS_WORD.test(line))
      .join('\n'),
  );

function readable(text: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(HEADING, '').replace(LIST_MARK, ''));
  return joinedOnLine(lines.map((line) => onOneLine(line.replace(MARKS, ''))));
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
