import { hashOf } from './boundaries.ts';
import { isSpace, skipSpace, trimSpace, wholeCharacter } from './characters.ts';
import type { Passage } from './port.ts';
import { weigh } from './tokens.ts';

/** Ends of a sentence that need white space after them. */
const TERMINATORS = new Set([...'.!?…؟۔।॥։።။'].map((character) => character.charCodeAt(0)));
/** Ends of a sentence in scripts without spaces. */
const WIDE_TERMINATORS = new Set([...'。！？｡'].map((character) => character.charCodeAt(0)));
const CLOSERS = new Set([...'"\'”’)]}»›」』）】〉》*_'].map((character) => character.charCodeAt(0)));
const CLAUSE_ENDS = new Set([...',;:—、，；：'].map((character) => character.charCodeAt(0)));
const FULL_STOP = 46;
const NEWLINE = 10;

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof st jr sr vs etc e.g i.e cf al vol fig inc ltd co corp approx dept est jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);
const LONGEST_ABBREVIATION = 8;

/** Lines of at least this length were wrapped by an editor. UTF-16 code units. */
const WRAPPED_LINE = 50;
const ITEM = /^\s*(?:[-*+•–]\s|\d{1,3}[.)]\s|\||>)/;
const KEY = /^[^\s:][^:\n]{0,60}: /;

/**
 * Cuts `[start, end)` into sentences, in order and trimmed. A list item, a table row, a `key: value` line and any line
 * that was not wrapped are sentences. Linear for any input. `Intl.Segmenter` ends a sentence at every line break.
 */
export function splitSentences(text: string, start: number, end: number): Passage[] {
  const sentences: Passage[] = [];
  let from = skipSpace(text, start, end);
  let lineStart = from;
  let position = from;
  const cut = (at: number): void => {
    const trimmed = trimSpace(text, from, at);
    if (trimmed > from) sentences.push({ start: from, end: trimmed });
    from = skipSpace(text, at, end);
    position = from;
    for (let space = at; space < from; space++) {
      if (text.charCodeAt(space) === NEWLINE) lineStart = from;
    }
  };
  while (position < end) {
    const code = text.charCodeAt(position);
    if (code === NEWLINE) {
      if (lineBreakEndsSentence(text, lineStart, position, end)) cut(position);
      else lineStart = ++position;
    } else if (WIDE_TERMINATORS.has(code)) {
      cut(afterClosers(text, position + 1, end));
    } else if (TERMINATORS.has(code)) {
      const after = afterClosers(text, position + 1, end);
      if (endsSentence(text, lineStart, position, after, end)) {
        cut(after);
      } else {
        position = after;
      }
    } else {
      position++;
    }
  }
  cut(end);
  return sentences;
}

/** Whether the text ends with the end of a sentence. */
export function endsWithSentence(text: string): boolean {
  let end = text.length;
  while (end > 0 && CLOSERS.has(text.charCodeAt(end - 1))) end--;
  const mark = text.charCodeAt(end - 1);
  return TERMINATORS.has(mark) || WIDE_TERMINATORS.has(mark);
}

function afterClosers(text: string, start: number, end: number): number {
  let position = start;
  while (position < end) {
    const code = text.charCodeAt(position);
    if (!TERMINATORS.has(code) && !WIDE_TERMINATORS.has(code) && !CLOSERS.has(code)) break;
    position++;
  }
  return position;
}

function endsSentence(text: string, lineStart: number, mark: number, after: number, end: number): boolean {
  if (after >= end) return true;
  if (!isSpace(text.charCodeAt(after))) return false;
  if (text.charCodeAt(mark) !== FULL_STOP) return true;
  const next = text[skipSpace(text, after, end)];
  if (next !== undefined && next !== next.toUpperCase()) return false;
  // A full stop before a closing quote does not belong to an abbreviation.
  return after > mark + 1 || !isAbbreviation(text, lineStart, mark);
}

function isAbbreviation(text: string, lineStart: number, mark: number): boolean {
  let from = mark;
  const earliest = Math.max(lineStart, mark - LONGEST_ABBREVIATION);
  while (from > earliest && !isSpace(text.charCodeAt(from - 1))) from--;
  const word = text.slice(from, mark).replace(/^[("'“‘[]+/, '');
  // An initial (`J. Moss`), or the number of a list item.
  if (/^\p{Lu}$/u.test(word)) return true;
  if (from === lineStart && /^\d{1,3}$/.test(word)) return true;
  return ABBREVIATIONS.has(word.toLowerCase());
}

function lineBreakEndsSentence(text: string, lineStart: number, newline: number, end: number): boolean {
  const next = text.slice(newline + 1, Math.min(end, newline + 80));
  return newline - lineStart < WRAPPED_LINE || ITEM.test(next) || KEY.test(next);
}

/** A piece of a long sentence holds at least this share of the limit, if it ends at a space or within a word. */
const LEAST_PIECE = 0.6;

/**
 * Cuts `[start, end)` into pieces of at most `limit` quarter tokens: after a clause, else at a space, else within a
 * word, never within a surrogate pair. Trimmed, in order; linear. Among the places for a cut, the one before the text
 * with the lowest hash is taken, so that the cuts are the same again soon after a change.
 */
function cutToWeight(text: string, start: number, end: number, limit: number): Passage[] {
  const pieces: Passage[] = [];
  let from = skipSpace(text, start, end);
  while (from < end) {
    const clause = new LowestHash(text, end);
    const space = new LowestHash(text, end);
    let earlySpace = 0;
    let early = from;
    let weight = 0;
    let position = from;
    while (position < end) {
      weight += weigh(text, position, position + 1);
      if (weight > limit) break;
      const code = text.charCodeAt(position);
      position++;
      if (weight < limit * LEAST_PIECE) early = position;
      if (!isSpace(code)) continue;
      if (CLAUSE_ENDS.has(text.charCodeAt(position - 2)) && weight * 2 > limit) clause.offer(position);
      if (early < position) space.offer(position);
      else earlySpace = position;
    }
    if (position < end) {
      position = clause.position ?? space.position ?? (earlySpace || wordCut(text, early, position, end));
    }
    pieces.push({ start: from, end: trimSpace(text, from, position) });
    from = skipSpace(text, position, end);
  }
  return pieces;
}

/** Returns where to cut a word that fills a piece alone, from `early` to `late`. */
function wordCut(text: string, early: number, late: number, end: number): number {
  const cut = new LowestHash(text, end);
  for (let position = early + 1; position <= late; position++) cut.offer(wholeCharacter(text, position));
  return cut.position ?? wholeCharacter(text, late);
}

/** Code units after a cut that decide about it. */
const HASHED = 12;

/** Of the positions offered, the one before the text with the lowest hash; of equal ones the last. */
class LowestHash {
  readonly #text: string;
  readonly #end: number;
  #lowest = 1;
  position: number | null = null;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
  }

  offer(position: number): void {
    const hash = hashOf(this.#text, position, Math.min(this.#end, position + HASHED));
    if (hash > this.#lowest) return;
    this.#lowest = hash;
    this.position = position;
  }
}

/** Returns the sentences of `[start, end)`, those heavier than `limit` quarter tokens in pieces. */
export function sentencesWithin(text: string, start: number, end: number, limit: number): Passage[] {
  return splitSentences(text, start, end).flatMap((sentence) =>
    weigh(text, sentence.start, sentence.end) <= limit
      ? [sentence]
      : cutToWeight(text, sentence.start, sentence.end, limit),
  );
}
