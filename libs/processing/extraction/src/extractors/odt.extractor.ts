import { hiddenStyles } from '../office/hidden-styles.ts';
import { OFFICE_LIMITS, propertiesOf } from '../office/ooxml.ts';
import { isOpenDocument, openDocument } from '../office/opendocument.ts';
import { SectionedText } from '../sectioned-text.ts';
import { type Cell, MAX_REPEATS, type Span, spanOf } from '../tables/cells.ts';
import { type FilledRow, MergedCells } from '../tables/merged-cells.ts';
import { type Attributes, attribute, readXml } from '../xml.ts';
import type { FileExtractor } from './extractor.ts';

const MEDIA_TYPE = 'application/vnd.oasis.opendocument.text';
/** Elements whose words are no part of the text. */
const SKIPPED: ReadonlySet<string> = new Set(['tracked-changes', 'annotation', 'sequence-decls', 'forms', 'script']);
/** Spaces that one element may stand for. */
const MAX_SPACES = 100;

/** A text of LibreOffice and others: headings, paragraphs, lists, tables. */
export const odt: FileExtractor = {
  kind: 'odt',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['odt', 'ott'],
  mediaTypes: [MEDIA_TYPE],
  fileTypes: [],
  detects: (bytes) => isOpenDocument(bytes, MEDIA_TYPE),
  async toText(bytes) {
    const { zip, content } = openDocument(bytes, 'an OpenDocument text');
    const text = new SectionedText();
    await readContent(content, text, await hiddenStyles([zip.read('styles.xml'), content]));
    return { ...(await propertiesOf(zip.read('meta.xml'))), ...text.result };
  },
};

async function readContent(xml: Uint8Array, text: SectionedText, hidden: ReadonlySet<string>): Promise<void> {
  /** Of the paragraphs inside each other: one in a text box is in another one. */
  const open: string[] = [];
  let skipped = 0;
  let depth = 0;
  /** Depth of the outermost open element that is hidden. */
  let hiddenDepth: number | null = null;
  let merged = new MergedCells();
  let number = 0;
  let row: Cell[] | null = null;
  let cell: string[] | null = null;
  let span: Span | undefined;
  /** Place of the open cell, and that behind it with all that it covers in its row. */
  let column = 0;
  let end = 0;
  let lists = 0;
  let level = 1;
  const add = (words: string) => {
    if (cell !== null) cell.push(words);
    else text.add(words);
  };
  const append = (words: string) => {
    if (open.length > 0 && skipped === 0) open[open.length - 1] += words;
  };
  await readXml(xml, {
    open: (name, attributes) => {
      depth += 1;
      const isHidden = hidden.has(attribute(attributes, 'style-name') ?? '') || isHiddenSection(name, attributes);
      if (isHidden && hiddenDepth === null) {
        hiddenDepth = depth;
        skipped += 1;
      }
      if (SKIPPED.has(name)) skipped += 1;
      else if (name === 'p' || name === 'h') {
        open.push('');
        level = Math.min(6, Math.max(1, Number(attribute(attributes, 'outline-level') ?? 1) || 1));
      } else if (name === 's') append(' '.repeat(Math.min(MAX_SPACES, Number(attribute(attributes, 'c') ?? 1) || 1)));
      else if (name === 'tab') append(' ');
      else if (name === 'line-break') append('\n');
      // The number of a note.
      else if (name === 'note-citation') append('[');
      else if (name === 'list') lists += 1;
      else if (name === 'table') [merged, number] = [new MergedCells(), 0];
      else if (name === 'table-row') [row, number, column, end] = [[], number + 1, 0, 0];
      else if (name === 'table-cell') {
        cell = [];
        // Some programs write no cells that are covered.
        column = merged.firstFree(number, Math.max(column, end));
        span = spanOf(attribute(attributes, 'number-columns-spanned'), attribute(attributes, 'number-rows-spanned'));
        end = column + Math.min(span?.columns ?? 1, MAX_REPEATS);
      } else if (name === 'covered-table-cell') cell = [];
    },
    text: (words) => append(words.replace(/\s+/g, ' ')),
    close: (name) => {
      if (SKIPPED.has(name)) skipped -= 1;
      else if (name === 'list') lists -= 1;
      else if (name === 'note-citation') append(']');
      else if (name === 'p' || name === 'h') {
        const words = (open.pop() ?? '').trim();
        if (words !== '') add(name === 'h' ? `${'#'.repeat(level)} ${words}` : lists > 0 ? `- ${words}` : words);
      } else if ((name === 'table-cell' || name === 'covered-table-cell') && cell !== null) {
        if (name === 'table-cell') row?.push([column, cell.join(' '), span]);
        cell = null;
        column += 1;
      } else if (name === 'table-row' && row !== null) {
        const filled = merged.fill(
          number,
          row.filter(([, words]) => words !== ''),
        );
        text.add(rowLine(Math.max(column, end), filled));
        row = null;
      }
      if (depth === hiddenDepth) {
        hiddenDepth = null;
        skipped -= 1;
      }
      depth -= 1;
    },
  });
}

const isHiddenSection = (name: string, attributes: Attributes): boolean =>
  name === 'section' && attribute(attributes, 'display') === 'none';

function rowLine(width: number, { cells, isOneCell }: FilledRow): string {
  // A merged cell that is the whole row is written once.
  if (isOneCell && cells.length === width) return cells[0]?.[1] ?? '';
  const words = new Map(cells.map(([column, one]) => [column, one]));
  return Array.from({ length: width }, (_, column) => words.get(column) ?? '').join(' | ');
}
