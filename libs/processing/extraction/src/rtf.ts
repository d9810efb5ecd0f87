import { tooLarge } from './failures.ts';

/** Groups inside each other. */
const MAX_DEPTH = 1_000;

/** Destinations whose words are no part of the text. */
const SKIPPED: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl stylesheet pict object header headerl headerr headerf footer footerl footerr footerf listtable ' +
    'listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl fldinst filetbl revtbl'
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

const CODE_PAGES: Readonly<Record<number, string>> = {
  ...{ 437: 'windows-1252', 850: 'windows-1252', 866: 'ibm866', 874: 'windows-874', 932: 'shift_jis', 936: 'gbk' },
  ...{ 949: 'euc-kr', 950: 'big5', 10000: 'macintosh', 65001: 'utf-8' },
};

const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

interface Group {
  /** Name of the destination whose words are not part of the text. `info`: it says something about the text. */
  destination: string | null;
  /** Characters that follow `\u` for programs that do not know it. */
  replaced: number;
}

interface RtfText {
  readonly text: string;
  readonly title: string | null;
  readonly author: string | null;
}

/** Returns the text of a file in the Rich Text Format. Pictures, objects and fields' instructions are left out. Linear. */
export function rtfToText(rtf: string): RtfText {
  const words: string[] = [];
  const info = new Map<string, string>();
  const groups: Group[] = [{ destination: null, replaced: 1 }];
  let decoder = new TextDecoder('windows-1252');
  let bytes: number[] = [];
  let toSkip = 0;
  let isIgnorable = false;

  const group = (): Group => groups[groups.length - 1] as Group;
  const write = (text: string) => {
    const { destination } = group();
    if (destination === null) words.push(text);
    else if (destination === 'title' || destination === 'author') {
      info.set(destination, (info.get(destination) ?? '') + text);
    }
  };
  const flush = () => {
    if (bytes.length === 0) return;
    const decoded = decoder.decode(Uint8Array.from(bytes));
    bytes = [];
    write(decoded);
  };

  for (const [, word, parameter, hex, symbol, brace, plain] of rtf.matchAll(TOKEN)) {
    if (hex !== undefined) {
      if (toSkip > 0) toSkip -= 1;
      else bytes.push(Number.parseInt(hex, 16));
      continue;
    }
    flush();
    if (plain !== undefined) {
      const skipped = Math.min(toSkip, plain.length);
      toSkip -= skipped;
      write(plain.slice(skipped));
    } else if (brace === '{') {
      if (groups.length > MAX_DEPTH) throw tooLarge(`The file has more than ${MAX_DEPTH} groups inside each other`);
      groups.push({ ...group() });
      toSkip = 0;
    } else if (brace === '}') {
      if (groups.length > 1) groups.pop();
      toSkip = 0;
    } else if (symbol !== undefined) {
      if (symbol === '*') isIgnorable = true;
      else write(CHARACTERS[symbol] ?? ('\\{}'.includes(symbol) ? symbol : symbol === '\n' ? '\n\n' : ''));
    } else if (word !== undefined) {
      const number = Number(parameter ?? 0);
      if (isIgnorable && group().destination === null) group().destination = 'ignored';
      else if (word === 'u') {
        write(String.fromCharCode(number < 0 ? number + 65_536 : number & 0xffff));
        toSkip = group().replaced;
      } else if (word === 'uc') group().replaced = Math.max(0, number);
      else if (word === 'ansicpg') decoder = decoderOf(number);
      else if (word === 'mac') decoder = new TextDecoder('macintosh');
      else if (word === 'info') group().destination = 'info';
      else if (group().destination === 'info' && (word === 'title' || word === 'author')) group().destination = word;
      else if (SKIPPED.has(word) && group().destination === null) group().destination = word;
      else if (Object.hasOwn(CHARACTERS, word)) write(CHARACTERS[word] as string);
      isIgnorable = false;
    }
  }
  flush();
  const text = words
    .join('')
    .replace(/ \| \n/g, '\n')
    .replace(/[^\S\n]+\n/g, '\n');
  return { text, title: info.get('title')?.trim() || null, author: info.get('author')?.trim() || null };
}

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(CODE_PAGES[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
