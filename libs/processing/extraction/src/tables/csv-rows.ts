export interface CsvRow {
  /** As spreadsheets number it, from 1: blank rows count. */
  readonly number: number;
  readonly cells: readonly string[];
  /** A cell begins with a quote that is not closed. */
  readonly isDamaged: boolean;
}

interface ReadRow {
  readonly cells: string[];
  /** Position behind its line end. */
  readonly next: number;
  readonly isDamaged: boolean;
}

/**
 * Reads the rows of CSV with `\n` line ends (RFC 4180). A quote that is not closed before a separator or a line end is a
 * character, so a stray quote damages its own row only. Linear.
 * @param width number of cells that rows have. A row of several lines with another number of cells is read as one line, if this
 * has that number: the stray quote of a row was closed by that of a later one.
 */
export function* csvRows(text: string, separator: string, width: number): Generator<CsvRow> {
  let number = 0;
  for (let position = 0; position < text.length; ) {
    const lineEnd = endOfLine(text, position);
    let row = readRow(text, position, { separator, lineEnd, end: text.length });
    if (row.next > lineEnd + 1 && row.cells.length !== width) {
      const line = readRow(text, position, { separator, lineEnd, end: lineEnd });
      if (line.cells.length === width) row = { ...line, isDamaged: true };
    }
    number += 1;
    yield { number, cells: row.cells, isDamaged: row.isDamaged };
    position = row.next;
  }
}

interface RowLimits {
  readonly separator: string;
  /** End of the first line of the row. */
  readonly lineEnd: number;
  /** Quoted cells do not go on behind it. */
  readonly end: number;
}

function readRow(text: string, start: number, { separator, lineEnd: firstLineEnd, end }: RowLimits): ReadRow {
  const cells: string[] = [];
  let lineEnd = firstLineEnd;
  let isDamaged = false;
  let position = start;
  /** The next one in the line, so that the line is searched once. */
  let quote = -1;
  for (;;) {
    if (quote < position) {
      const rest = text.slice(position, lineEnd);
      quote = position + rest.indexOf('"');
      if (quote < position) return { cells: cells.concat(rest.split(separator)), next: lineEnd + 1, isDamaged };
    }
    let behind = position;
    const open = skipBlanks(text, position, separator);
    const isQuoted = text[open] === '"';
    const quoted = isQuoted ? quotedCell(text, open, separator, end) : null;
    if (quoted === null) {
      isDamaged ||= isQuoted;
      while (behind < lineEnd && text[behind] !== separator) behind++;
      cells.push(text.slice(position, behind));
    } else {
      behind = quoted.behind;
      cells.push(quoted.words);
      if (behind > lineEnd) lineEnd = endOfLine(text, behind);
    }
    if (behind >= lineEnd) return { cells, next: lineEnd + 1, isDamaged };
    position = behind + 1;
  }
}

/** Reads a cell from its opening quote on. Null: no quote closes it. */
function quotedCell(text: string, open: number, separator: string, end: number) {
  let words = '';
  for (let from = open + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1 || quote >= end) return null;
    words += text.slice(from, quote);
    if (text[quote + 1] === '"') {
      words += '"';
      from = quote + 2;
      continue;
    }
    const behind = skipBlanks(text, quote + 1, separator);
    const isClosed = behind >= end || text[behind] === separator || text[behind] === '\n';
    return isClosed ? { words, behind } : null;
  }
}

function endOfLine(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end === -1 ? text.length : end;
}

function skipBlanks(text: string, start: number, separator: string): number {
  let position = start;
  while ((text[position] === ' ' || text[position] === '\t') && text[position] !== separator) position++;
  return position;
}
