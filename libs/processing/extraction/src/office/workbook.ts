import { damagedFileError, tooLarge } from '../failures.ts';
import { type Cell, MAX_COLUMNS, MAX_ROWS } from '../table-text.ts';
import { attribute, readXml } from '../xml.ts';
import type { Zip } from '../zip.ts';
import { relationships } from './ooxml.ts';
import { dateFormats, isDateFormat } from './serial-date.ts';
import { shownNumber } from './shown-number.ts';

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
  /** By the number of a cell's style. */
  readonly isDate: readonly boolean[];
  readonly isPercent: readonly boolean[];
  /** Days are counted from 1904 and not from 1900. */
  readonly from1904: boolean;
}

/** @throws ExtractionError */
export async function openWorkbook(zip: Zip): Promise<Workbook> {
  const part = 'xl/workbook.xml';
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
  const strings = await sharedStrings(zip.read('xl/sharedStrings.xml'));
  return { sheets, strings, from1904, ...(await styles(zip.read('xl/styles.xml'))) };
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

async function styles(xml: Uint8Array | null): Promise<Pick<Workbook, 'isDate' | 'isPercent'>> {
  const formats = dateFormats();
  const isDate: boolean[] = [];
  const isPercent: boolean[] = [];
  const percents = new Set(['9', '10']);
  let inCells = false;
  if (xml !== null) {
    await readXml(xml, {
      open: (name, attributes) => {
        const { numFmtId: id = '' } = attributes;
        if (name === 'numFmt') {
          const code = attributes.formatCode ?? '';
          if (isDateFormat(code)) formats.add(id);
          else formats.delete(id);
          if (code.includes('%')) percents.add(id);
        } else if (name === 'cellXfs') inCells = true;
        else if (name === 'xf' && inCells) {
          isDate.push(formats.has(id));
          isPercent.push(percents.has(id));
        }
      },
      close: (name) => {
        if (name === 'cellXfs') inCells = false;
      },
    });
  }
  return { isDate, isPercent };
}

/** Reads the rows of a sheet that have cells, in their order. @throws ExtractionError */
export async function readRows(
  zip: Zip,
  workbook: Workbook,
  { part }: Sheet,
  row: (number: number, cells: readonly Cell[]) => void,
): Promise<void> {
  let number = 0;
  let cells: Cell[] = [];
  let column = 0;
  let type = 'n';
  let style = 0;
  let value = '';
  let isValue = false;
  let phonetic = 0;
  await readXml(zip.read(part) as Uint8Array, {
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
      else if (name === 'c' && column < MAX_COLUMNS) cells.push([column, cellText(workbook, type, style, value)]);
      else if (name === 'row') row(number, cells);
    },
  });
}

/** Returns null for a number that no row of a sheet has. */
function rowOf(reference: string | undefined): number | null {
  const number = Number(reference);
  return Number.isInteger(number) && number >= 1 && number <= MAX_ROWS ? number : null;
}

/** `AB12` is in column 27. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(workbook: Workbook, type: string, style: number, value: string): string {
  switch (type) {
    case 's':
      return workbook.strings[Number(value)] ?? '';
    case 'b':
      return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
    // The result of a formula that failed.
    case 'e':
      return '';
    case 'str':
    case 'inlineStr':
    case 'd':
      return value;
    default:
      return numberText(workbook, style, value);
  }
}

function numberText({ isDate, isPercent, from1904 }: Workbook, style: number, value: string): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  return shownNumber(number, { isDate: isDate[style] ?? false, isPercent: isPercent[style] ?? false, from1904 });
}
