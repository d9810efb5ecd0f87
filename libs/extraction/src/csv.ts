import { recordLine } from './records.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const MAX_HEADER_CELL = 60;
const NUMBER = /^[-+]?[\d.,\s]*\d[\d.,\s%€$£-]*$/;

/**
 * Writes each record as a line of `header: value` pairs with a blank line between records; without a header, only
 * values. Returns null if the text is not well-formed CSV.
 */
export async function csvToText(text: string): Promise<string | null> {
  const { parse } = await import('csv-parse/sync');
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter: likelyDelimiter(text),
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch {
    return null;
  }
  const first = rows[0];
  if (first === undefined) return null;
  const hasHeader = isHeader(first, rows);
  const names = hasHeader ? first.map((cell) => cell.replace(/\s+/g, ' ')) : [];
  const lines: string[] = [];
  for (let index = hasHeader ? 1 : 0; index < rows.length; index++) {
    const line = recordLine((rows[index] ?? []).map((cell, column) => [names[column] ?? '', cell]));
    if (line !== '') lines.push(line);
  }
  return lines.length === 0 ? null : lines.join('\n\n');
}

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

/** A first row is a header if other rows follow and its cells are short, distinct, not empty and not numbers. */
function isHeader(first: readonly string[], rows: readonly (readonly string[])[]): boolean {
  return (
    rows.length > 1 &&
    new Set(first).size === first.length &&
    first.every((cell) => cell !== '' && cell.length <= MAX_HEADER_CELL && !NUMBER.test(cell))
  );
}
