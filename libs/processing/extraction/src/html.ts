import { tooLarge } from './failures.ts';
import { type ShownPage, shownPage } from './hidden-text/shown-page.ts';
import { fillTable, type Repeats } from './tables/html-table.ts';

/** Maximum size of a page, in UTF-16 code units; a larger one is refused. */
const MAX_INPUT = 16_777_216;
/**
 * Deeper pages are only stripped of their tags: the walk over the elements is recursive, and the parser takes time in
 * the square of the depth.
 */
const MAX_DEPTH = 256;

const TAG = /<(\/?)([a-z][a-z0-9-]*)([^<>]{0,1000}(?=>))?/gi;
/** Elements that do not nest: those without content, and those whose end tag is often omitted. */
const FLAT = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd td th tr thead tbody tfoot option'.split(
    ' ',
  ),
);

const SKIPPED =
  'script style noscript template nav iframe svg canvas object button select input textarea head img'.split(' ');

/** Longest title that is read, in UTF-16 code units. */
const MAX_TITLE = 1_000;

/** A tag at the start of a text that is markup. */
const OPENING =
  /^<(?:!doctype\s+html|!--|html|head|body|div|main|article|section|header|p|h[1-6]|ul|ol|table|form|span|meta|title|style|script|blockquote)\b[^<]{0,2000}>/i;

/** Returns whether a text is a page or a fragment of one, and not prose about tags. */
export function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 4000).trimStart();
  if (!start.startsWith('<')) return false;
  if (/^<(?:!doctype\s+html|html)\b/i.test(start)) return true;
  return OPENING.test(start) && /<\/[a-z][a-z0-9]*\s*>\s*$/i.test(text.slice(-200));
}

export interface Page {
  readonly text: string;
  /** The words of `<title>`. */
  readonly title: string | null;
  /** Whether it hides something, which is left out. */
  readonly isCut: boolean;
}

type Convert = (html: string) => string;
let compiled: Promise<Convert> | null = null;

/**
 * Returns the words of a page: headings as `# heading`, list items as `- item`, a table row on a line, links as their
 * words. Scripts, styles, navigation, forms and what a browser hides are left out; nothing is fetched.
 * @throws ExtractionError for a page that is too large
 */
export async function htmlToText(html: string): Promise<Page> {
  refuseLargePage(html);
  return shownToText(await shownPage(html));
}

/** @throws ExtractionError */
export function refuseLargePage(html: string): void {
  if (html.length > MAX_INPUT) throw tooLarge(`The page has more than ${MAX_INPUT} characters`);
}

/** As `htmlToText`, of a page without what a browser hides. */
export async function shownToText({ html, title, isCut }: ShownPage): Promise<Page> {
  compiled ??= compileConverter();
  const convert = await compiled;
  return {
    text: convert(isDeeperThan(html, MAX_DEPTH) ? stripTags(html) : html),
    title: (title && convert(title.slice(0, MAX_TITLE)).replace(/\s+/g, ' ').trim()) || null,
    isCut,
  };
}

async function compileConverter(): Promise<Convert> {
  const { compile } = await import('html-to-text');
  let repeats: Repeats = { left: 0 };
  const convert = compile({
    wordwrap: false,
    // Without the zero width space, which stands inside words.
    whitespaceCharacters: ' \t\r\n\f',
    limits: { maxInputLength: MAX_INPUT, maxDepth: MAX_DEPTH, ellipsis: '' },
    formatters: {
      markedHeading: (element, walk, builder) => {
        builder.openBlock({ leadingLineBreaks: 2 });
        builder.addLiteral(`${'#'.repeat(Number(element.name?.[1] ?? 1))} `);
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 2 });
      },
      filledTable: (element, walk, builder) => {
        fillTable(element, repeats);
        builder.openBlock({ leadingLineBreaks: 2 });
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 2 });
      },
    },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'table', format: 'filledTable' },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['td', 'th'].map((selector) => ({
        ...{ selector, format: 'inlineSurround', options: { prefix: '| ', suffix: ' ' } },
      })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'markedHeading' })),
      ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
  return (html) => {
    repeats = { left: html.length };
    return convert(html);
  };
}

/** Returns whether elements may be nested deeper than the limit, by counting tags. */
function isDeeperThan(html: string, limit: number): boolean {
  let depth = 0;
  let inPicture = false;
  for (const [, slash, tag = '', attributes] of html.matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (name === 'svg') inPicture = slash === '';
    // `/>` closes an element only in SVG.
    if (FLAT.has(name) || (inPicture && attributes?.endsWith('/'))) continue;
    if (slash === '') depth++;
    else if (depth > 0) depth--;
    if (depth > limit) return true;
  }
  return false;
}

/** Returns the words between the tags, without scripts and styles, in one pass. */
function stripTags(html: string): string {
  const words: string[] = [];
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    if (open === -1) break;
    words.push(html.slice(position, open));
    const close = html.indexOf('>', open);
    if (close === -1) return words.join(' ');
    position = close + 1;
    const raw = /^<(script|style)\b/i.exec(html.slice(open, open + 8))?.[1]?.toLowerCase();
    if (raw !== undefined) position = afterRawText(html, raw, position);
  }
  words.push(html.slice(position));
  return words.join(' ');
}

/** Returns the position of the end tag of a script or style, or the end of the page. */
function afterRawText(html: string, name: string, start: number): number {
  let position = html.indexOf('</', start);
  while (position !== -1 && html.slice(position + 2, position + 2 + name.length).toLowerCase() !== name) {
    position = html.indexOf('</', position + 2);
  }
  return position === -1 ? html.length : position;
}
