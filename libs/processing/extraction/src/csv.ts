import type { Section } from '#platform/kernel';
import { recordLine } from './records.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const MAX_HEADER_CELL = 60;
const NUMBER = /^[-+]?[\d.,\s]*\d[\d.,\s%€$£-]*$/;

interface CsvText {
  readonly text: string;
  /** The rows of the records, as spreadsheets number them. */
  readonly sections: readonly Section[];
}

/**
 * Writes each record as a line of `header: value` pairs with a blank line between records; without a header, only
 * values. Returns null if the text is not well-formed CSV.
 */
export async function csvToText(text: string): Promise<CsvText | null> {
  const { parse } = await import('csv-parse/sync');
  let all: string[][];
  try {
    all = parse(text, {
      delimiter: likelyDelimiter(text),
      relax_column_count: true,
      // A blank line is a row, without a cell.
      skip_empty_lines: false,
      trim: true,
    });
  } catch {
    return null;
  }
  const begin = all.findIndex((cells) => !isBlank(cells));
  const first = all[begin];
  if (first === undefined) return null;
  const hasHeader = isHeader(first) && all.some((cells, index) => index > begin && !isBlank(cells));
  const names = hasHeader ? first.map((cell) => cell.replace(/\s+/g, ' ')) : [];
  const lines: string[] = [];
  const sections: Section[] = [];
  let length = 0;
  let expected = -1;
  for (let index = hasHeader ? begin + 1 : begin; index < all.length; index++) {
    const line = recordLine((all[index] ?? []).map((cell, column) => [names[column] ?? '', cell]));
    if (line === '') continue;
    if (lines.length > 0) length += 2;
    if (index !== expected) sections.push([length, { row: index + 1 }]);
    expected = index + 1;
    lines.push(line);
    length += line.length;
  }
  return lines.length === 0 ? null : { text: lines.join('\n\n'), sections };
}

const isBlank = (cells: readonly string[]): boolean => cells.length === 1 && cells[0] === '';

/** Returns the most frequent delimiter of the first line, outside of quotes. */
function likelyDelimiter(text: string): string {
  const counts = new Map<string, number>();
  let quoted = false;
  for (let position = 0; position < text.length; position++) {
    const character = text[position] as string;
    if (character === '"') quoted = !quoted;
    else if (!quoted && character === '\n' && counts.size > 0) break;
    else if (!quoted) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return DELIMITERS.reduce((best, next) => ((counts.get(next) ?? 0) > (counts.get(best) ?? 0) ? next : best));
}

/** A first row is a header if its cells are short, distinct, not empty and not numbers. */
function isHeader(first: readonly string[]): boolean {
  return (
    new Set(first).size === first.length &&
    first.every((cell) => cell !== '' && cell.length <= MAX_HEADER_CELL && !NUMBER.test(cell))
  );
}
