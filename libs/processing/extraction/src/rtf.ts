import { isAscii, isUtf8 } from 'node:buffer';
import { RtfDecoder } from './decoding/rtf-decoder.ts';
import { tooLarge } from './failures.ts';

/** Groups inside each other. */
const MAX_DEPTH = 1_000;

/** Destinations whose words are no part of the text. */
const SKIPPED: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl stylesheet pict object header headerl headerr headerf footer footerl footerr footerf listtable ' +
    'listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl fldinst filetbl revtbl ' +
    'xe tc tcn nonesttables'
  ).split(' '),
);

/** Control words that are characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{
    par: '\n\n',
    line: '\n',
    sect: '\n\n',
    page: '\n\n',
    tab: ' ',
    cell: ' | ',
    row: '\n',
    nestcell: ' | ',
    nestrow: '\n',
    emdash: '—',
    endash: '–',
  },
  ...{
    bullet: '•',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    emspace: ' ',
    enspace: ' ',
    '~': '\u00a0',
  },
};

/** What a person does not see: hidden words, deleted ones, and those that were moved to another place. */
const UNSEEN: ReadonlySet<string> = new Set(['v', 'deleted', 'mvf']);
/** Marks of a table, which keep its form where its words are not seen. */
const MARKS_OF_TABLES: ReadonlySet<string> = new Set(['cell', 'row', 'nestcell', 'nestrow']);
/** Ends of paragraphs and lines, which are spaces in a cell. */
const ENDS: ReadonlySet<string> = new Set(['par', 'line']);
const SPACE_IN_CELL = ' ';

/** Destinations whose words are known beside the text. */
const NAMED: ReadonlySet<string> = new Set(['title', 'author']);

const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

interface Group {
  /** Name of the destination whose words are not part of the text. `info`: it says something about the text. */
  destination: string | null;
  /** Characters that follow `\u` for programs that do not know it. */
  replaced: number;
  /** Null: the default one. */
  font: number | null;
  /** Which of `UNSEEN` are set. */
  unseen: ReadonlySet<string>;
  /** The paragraph is in a cell of a table. */
  inCell: boolean;
}

const NONE: ReadonlySet<string> = new Set();

interface RtfText {
  readonly text: string;
  readonly title: string | null;
  readonly author: string | null;
  /** Of all bytes beyond ASCII. Null: there are none, or they have several. */
  readonly encoding: string | null;
}

/**
 * Returns the text of a file in the Rich Text Format. Bytes are read in the code page of their font, or else of the file.
 * Pictures, objects, fields' instructions, and hidden and deleted words are left out. Linear.
 * @throws ExtractionError for a code page without a decoder
 */
export function rtfToText(file: Uint8Array): RtfText {
  // Some programs write UTF-8, which the format does not have.
  const isUnicode = isUtf8(file) && !isAscii(file);
  const rtf = Buffer.from(file.buffer, file.byteOffset, file.length).toString(isUnicode ? 'utf8' : 'latin1');
  const words: string[] = [];
  const info = new Map<string, string>();
  const groups: Group[] = [{ destination: null, replaced: 1, font: null, unseen: NONE, inCell: false }];
  const decoder = new RtfDecoder();
  /** Bytes as Latin-1. A character may go on behind the end of a line, and with a byte that is written as a letter. */
  let bytes = '';
  let toSkip = 0;
  let isIgnorable = false;

  const group = (): Group => groups[groups.length - 1] as Group;
  const isRead = ({ destination, unseen }: Group) =>
    destination === null ? unseen.size === 0 : NAMED.has(destination);
  const write = (text: string) => {
    const { destination } = group();
    if (!isRead(group())) return;
    if (destination === null) words.push(text);
    else info.set(destination, (info.get(destination) ?? '') + text);
  };
  /** Marks a table also where its words are not seen. */
  const markTable = (mark: string) => {
    while (words.at(-1) === SPACE_IN_CELL) words.pop();
    words.push(mark);
  };
  const flush = () => {
    if (bytes !== '' && isRead(group())) write(decoder.decode(bytes, group().font));
    bytes = '';
  };

  for (const [, word, parameter, hex, symbol, brace, plain] of rtf.matchAll(TOKEN)) {
    if (hex !== undefined) {
      if (toSkip > 0) toSkip -= 1;
      else bytes += String.fromCharCode(Number.parseInt(hex, 16));
    } else if (plain !== undefined) {
      const skipped = Math.min(toSkip, plain.length);
      toSkip -= skipped;
      if (isUnicode) {
        flush();
        write(plain.slice(skipped));
      } else bytes += plain.slice(skipped);
    } else if (symbol !== undefined && '\\{}'.includes(symbol)) {
      bytes += symbol;
    } else if (brace === '{') {
      flush();
      if (groups.length > MAX_DEPTH) throw tooLarge(`The file has more than ${MAX_DEPTH} groups inside each other`);
      groups.push({ ...group() });
      toSkip = 0;
    } else if (brace === '}') {
      flush();
      if (groups.length > 1) groups.pop();
      toSkip = 0;
    } else if (symbol !== undefined) {
      flush();
      if (symbol === '*') isIgnorable = true;
      else write(CHARACTERS[symbol] ?? (symbol === '\n' ? '\n\n' : ''));
    } else if (word !== undefined) {
      flush();
      const number = Number(parameter ?? 0);
      const { destination } = group();
      if (isIgnorable && destination === null) group().destination = 'ignored';
      else if (word === 'u') {
        write(String.fromCharCode(number < 0 ? number + 65_536 : number & 0xffff));
        toSkip = group().replaced;
      } else if (word === 'uc') group().replaced = Math.max(0, number);
      else if (destination === 'fonttbl') decoder.defineFont(word, number);
      else if (word === 'f') group().font = number;
      else if (word === 'plain') Object.assign(group(), { font: null, unseen: NONE });
      else if (UNSEEN.has(word)) {
        const others = [...group().unseen].filter((one) => one !== word);
        group().unseen = new Set(parameter !== undefined && number === 0 ? others : [...others, word]);
      } else if (word === 'info') group().destination = 'info';
      else if (destination === 'info' && NAMED.has(word)) group().destination = word;
      else if (SKIPPED.has(word) && destination === null) group().destination = word;
      else if (MARKS_OF_TABLES.has(word) && destination === null) markTable(CHARACTERS[word] as string);
      // It stands in a destination that older programs ignore.
      else if (word === 'nestrow' && destination === 'ignored') markTable(CHARACTERS.nestrow as string);
      else if (word === 'intbl') group().inCell = true;
      else if (word === 'pard') group().inCell = false;
      else if (ENDS.has(word) && group().inCell) write(SPACE_IN_CELL);
      else if (Object.hasOwn(CHARACTERS, word)) write(CHARACTERS[word] as string);
      else decoder.defineFile(word, number);
      isIgnorable = false;
    }
  }
  flush();
  const text = words
    .join('')
    .replace(/ \| \n/g, '\n')
    .replace(/[^\S\n]+\n/g, '\n');
  const { encoding } = decoder;
  return { text, title: info.get('title')?.trim() || null, author: info.get('author')?.trim() || null, encoding };
}
