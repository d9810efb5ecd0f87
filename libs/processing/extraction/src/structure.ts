import type { Steps } from '#platform/kernel';
import { skipSpace, trimSpace } from './characters.ts';
import type { Passage } from './port.ts';
import { weigh } from './tokens.ts';
import { findSpeakers, LINES_AT_ONCE, type TurnHead, turnHead } from './turns.ts';

/**
 * Front matter, a heading, a paragraph, one turn of a transcript, a fenced block of code, or a divider without a letter or digit.
 * Trimmed; blocks are in order and cover everything but white space.
 */
export interface Block extends Passage {
  readonly kind: 'frontMatter' | 'heading' | 'prose' | 'turn' | 'code' | 'divider';
  readonly speaker: string | null;
  /** Start of the words after the speaker's name. */
  readonly body: number;
}

interface OpenBlock {
  kind: Block['kind'];
  start: number;
  end: number;
  lines: number;
  speaker: string | null;
  body: number;
  /** The last line, if it is the only one since a blank line. */
  lastAlone: { start: number; end: number } | null;
}

const ATX = /^ {0,3}#{1,6}\s+\S/;
const SETEXT = /^(?:={3,}|-{3,})\s*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const CAPITAL_OR_DIGIT = /^[\p{Lu}\p{Lo}\p{N}]/u;
const SENTENCE_END = /[.!?…。！？,;:，；：]["'”’)]*$/;
const DATE_OR_TIME =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|\d{1,2}:\d\d|\d{4}-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d|年|月/i;
const DECORATED = /^(?:[-=*~#—–[]+).*(?:[-=*~#—–\]]+)$/;

/** Maximum size of a heading, in quarter tokens. */
const MAX_HEADING = 200;
const MAX_CAPTION_LETTERS = 60;
/** A single line is a heading only if a block of at least this length follows. UTF-16 code units. */
const MIN_AFTER_CAPTION = 80;
/** Longer blocks are not searched for a missing letter. UTF-16 code units. */
const MAX_DIVIDER = 200;

/** Cuts a text with `\n` line ends into blocks. Linear. */
function* parseBlocks(text: string): Steps<Block[]> {
  const speakers = yield* findSpeakers(text);
  let seen = 0;
  const blocks: OpenBlock[] = [];
  let open: OpenBlock | null = null;
  let inFence = false;
  let afterBlank = true;

  for (let lineStart = 0; lineStart < text.length; ) {
    seen++;
    if (seen % LINES_AT_ONCE === 0) yield;
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const start = skipSpace(text, lineStart, lineEnd);
    const end = trimSpace(text, start, lineEnd);
    const next = lineEnd + 1;

    if (start === end) {
      if (open?.kind === 'prose') open = null;
      afterBlank = true;
      lineStart = next;
      continue;
    }

    const head: TurnHead | null = speakers === null ? null : turnHead(text, lineStart, lineEnd);
    if (head !== null && speakers?.has(head.speaker)) {
      if (open?.kind === 'turn') splitCaption(text, open, blocks);
      open = begin('turn', start, end, head);
      blocks.push(open);
    } else if (open?.kind === 'turn') {
      extend(open, end);
      open.lastAlone = afterBlank ? { start, end } : null;
    } else if (isFence(text, lineStart, lineEnd)) {
      if (inFence && open !== null) {
        extend(open, end);
        open = null;
      } else {
        open = begin('code', start, end);
        blocks.push(open);
      }
      inFence = !inFence;
    } else if (inFence && open !== null) {
      extend(open, end);
    } else if (isAtxHeading(text, lineStart, lineEnd, start, end)) {
      blocks.push(begin('heading', start, end));
      open = null;
    } else if (open?.kind === 'prose' && open.lines === 1 && isUnderline(text, start, end) && isShort(text, open)) {
      open.kind = 'heading';
      extend(open, end);
      open = null;
    } else if (open !== null) {
      extend(open, end);
    } else {
      open = begin('prose', start, end);
      blocks.push(open);
    }
    afterBlank = false;
    lineStart = next;
  }
  yield* nameCaptions(text, blocks);
  return blocks;
}

/** As `parseBlocks`, of `[from, to)`. */
export function* blocksWithin(text: string, from: number, to: number): Steps<readonly Block[]> {
  const blocks = yield* parseBlocks(text.slice(from, to));
  if (from === 0) return blocks;
  return blocks.map(({ start, end, body, ...block }) => ({
    ...block,
    ...{ start: start + from, end: end + from, body: body + from },
  }));
}

function begin(kind: Block['kind'], start: number, end: number, head: TurnHead | null = null): OpenBlock {
  return { kind, start, end, lines: 1, speaker: head?.speaker ?? null, body: head?.body ?? start, lastAlone: null };
}

function extend(block: OpenBlock, end: number): void {
  block.end = end;
  block.lines++;
}

function isFence(text: string, start: number, end: number): boolean {
  return FENCE.test(text.slice(start, Math.min(end, start + 8)));
}

function isAtxHeading(text: string, lineStart: number, lineEnd: number, start: number, end: number): boolean {
  return (
    text[start] === '#' &&
    end - start <= MAX_HEADING &&
    ATX.test(text.slice(lineStart, Math.min(lineEnd, lineStart + 16))) &&
    weigh(text, start, end) <= MAX_HEADING
  );
}

function isUnderline(text: string, start: number, end: number): boolean {
  return end - start <= MAX_HEADING && SETEXT.test(text.slice(start, end));
}

function isShort(text: string, block: Passage): boolean {
  return block.end - block.start <= MAX_HEADING && weigh(text, block.start, block.end) <= MAX_HEADING;
}

/** A line such as `Saturday, 3 May` before a turn belongs to that turn, not to the one before. */
function splitCaption(text: string, turn: OpenBlock, blocks: OpenBlock[]): void {
  const caption = turn.lastAlone;
  if (caption === null || caption.end - caption.start > MAX_CAPTION_LETTERS) return;
  const line = text.slice(caption.start, caption.end);
  if (!ATX.test(line) && !DECORATED.test(line) && (SENTENCE_END.test(line) || !DATE_OR_TIME.test(line))) return;
  turn.end = trimSpace(text, turn.start, caption.start);
  blocks.push(begin('heading', caption.start, caption.end));
}

/** Marks headings without a Markdown mark, and dividers, by the blocks around them. */
function* nameCaptions(text: string, blocks: readonly OpenBlock[]): Steps<void> {
  // Backwards, because a title may precede another heading.
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index] as OpenBlock;
    if (index % LINES_AT_ONCE === 0) yield;
    if (block.kind !== 'prose' || block.end - block.start > MAX_DIVIDER) continue;
    const line = text.slice(block.start, block.end);
    const next = blocks[index + 1];
    if (!LETTER_OR_DIGIT.test(line)) block.kind = 'divider';
    else if (block.lines === 1 && (isCaption(line, next) || (index === 0 && isTitle(line, next))))
      block.kind = 'heading';
  }
}

function isCaption(line: string, next: OpenBlock | undefined): boolean {
  if (next === undefined || line.length > MAX_CAPTION_LETTERS) return false;
  if (next.kind === 'turn') return DECORATED.test(line) || DATE_OR_TIME.test(line) || CAPITAL_OR_DIGIT.test(line);
  if (next.kind !== 'prose' && next.kind !== 'code') return false;
  if (/[:：]$/.test(line)) return true;
  return next.end - next.start >= MIN_AFTER_CAPTION && hasFormOfTitle(line);
}

function isTitle(line: string, next: OpenBlock | undefined): boolean {
  return (
    next?.kind === 'heading' &&
    line.length <= MAX_CAPTION_LETTERS &&
    CAPITAL_OR_DIGIT.test(line) &&
    !SENTENCE_END.test(line)
  );
}

function hasFormOfTitle(line: string): boolean {
  return CAPITAL_OR_DIGIT.test(line) && !SENTENCE_END.test(line) && !line.includes(':');
}
