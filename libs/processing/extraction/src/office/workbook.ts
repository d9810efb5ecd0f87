import { damagedFileError, tooLarge } from '../failures.ts';
import { type Cell, MAX_COLUMNS, MISSING_RESULT } from '../tables/cells.ts';
import { attribute, readXml } from '../xml.ts';
import type { Zip } from '../zip.ts';
import { columnOf, rowOf } from './cell-reference.ts';
import { mergesIn } from './merges.ts';
import { type NumberFormats, numberFormats } from './number-formats.ts';
import { mainPartOf, partOf, relationships } from './ooxml.ts';

const KIND = 'an Excel workbook';
/** UTF-16 code units of all shared strings. */
const MAX_STRINGS = 200_000_000;

interface Sheet {
  readonly name: string;
  readonly part: string;
}

/** How the cells of a workbook are read. */
interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  readonly formats: NumberFormats;
  /** Codes of the formats, by the number of a cell's style. */
  readonly codes: readonly string[];
  /** Days are counted from 1904 and not from 1900. */
  readonly from1904: boolean;
}

/** @throws ExtractionError */
export async function openWorkbook(zip: Zip): Promise<Workbook> {
  const part = await mainPartOf(zip, 'xl/workbook.xml');
  const xml = zip.read(part);
  if (xml === null) throw damagedFileError(KIND);
  const targets = await relationships(zip, part);
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readXml(xml, {
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const target = targets.get(attribute(attributes, 'id') ?? '');
      if (target !== undefined && zip.has(target)) sheets.push({ name: attributes.name ?? '', part: target });
    },
  });
  const related = async (type: string) => zip.read(await partOf(zip, part, type, `xl/${type}.xml`));
  const strings = await sharedStrings(await related('sharedStrings'));
  const formats = await numberFormats();
  return { sheets, strings, formats, from1904, codes: await codesOf(await related('styles'), formats) };
}

async function sharedStrings(xml: Uint8Array | null): Promise<readonly string[]> {
  const strings: string[] = [];
  if (xml === null) return strings;
  let open: string | null = null;
  let isText = false;
  let phonetic = 0;
  let length = 0;
  await readXml(xml, {
    open: (name) => {
      if (name === 'si') open = '';
      else if (name === 'rPh') phonetic += 1;
      isText = name === 't';
    },
    text: (text) => {
      if (open === null || !isText || phonetic > 0) return;
      open += text;
      length += text.length;
      if (length > MAX_STRINGS) throw tooLarge('The workbook holds too much text');
    },
    close: (name) => {
      if (name === 'si' && open !== null) {
        strings.push(open);
        open = null;
      } else if (name === 'rPh') phonetic -= 1;
      isText = false;
    },
  });
  return strings;
}

async function codesOf(xml: Uint8Array | null, formats: NumberFormats): Promise<readonly string[]> {
  const declared = new Map<string, string>();
  const codes: string[] = [];
  if (xml === null) return codes;
  let inCells = false;
  await readXml(xml, {
    open: (name, { numFmtId: id = '0', formatCode }) => {
      if (name === 'numFmt') declared.set(id, formatCode ?? 'General');
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) codes.push(declared.get(id) ?? formats.codeOf(Number(id)));
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return codes;
}

/** Reads the rows of a sheet that have cells, in their order. @throws ExtractionError */
export async function readRows(
  zip: Zip,
  workbook: Workbook,
  { part }: Sheet,
  row: (number: number, cells: readonly Cell[]) => void,
): Promise<void> {
  const xml = zip.read(part) as Uint8Array;
  const merges = await mergesIn(xml);
  let number = 0;
  let cells: Cell[] = [];
  let column = 0;
  let type = 'n';
  let style = 0;
  let value = '';
  let isFormula = false;
  let isValue = false;
  let phonetic = 0;
  await readXml(xml, {
    open: (name, attributes) => {
      switch (name) {
        case 'row':
          number = rowOf(attributes.r) ?? number + 1;
          cells = [];
          column = -1;
          return;
        case 'c':
          column = columnOf(attributes.r) ?? column + 1;
          type = attributes.t ?? 'n';
          style = Number(attributes.s ?? 0);
          value = '';
          isFormula = false;
          return;
        case 'f':
          isFormula = true;
          isValue = false;
          return;
        case 'rPh':
          phonetic += 1;
          return;
        default:
          isValue = (name === 'v' || name === 't') && phonetic === 0;
      }
    },
    text: (text) => {
      if (isValue) value += text;
    },
    close: (name) => {
      isValue = false;
      if (name === 'rPh') phonetic -= 1;
      else if (name === 'c' && column < MAX_COLUMNS) {
        // The result of a formula may be an empty text.
        const isMissing = isFormula && value === '' && type !== 'str';
        const words = isMissing ? MISSING_RESULT : cellText(workbook, type, style, value);
        cells.push([column, words, merges.get(number, column)]);
      } else if (name === 'row') row(number, cells);
    },
  });
}

function cellText({ strings, formats, codes, from1904 }: Workbook, type: string, style: number, value: string): string {
  const code = codes[style] ?? 'General';
  switch (type) {
    case 's':
      return formats.shownWords(unescaped(strings[Number(value)] ?? ''), code);
    case 'str':
    case 'inlineStr':
      return formats.shownWords(unescaped(value), code);
    case 'b':
      return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
    // The result of a formula that failed, such as `#N/A`, and a date in ISO 8601.
    case 'e':
    case 'd':
      return value;
    default: {
      const number = Number(value);
      return value.trim() === '' || !Number.isFinite(number) ? value : formats.shownNumber(number, code, from1904);
    }
  }
}

/** Words with the characters that workbooks write as `_x000D_`. */
const unescaped = (words: string): string =>
  words.includes('_x')
    ? words.replace(/_x([0-9A-F]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : words;
