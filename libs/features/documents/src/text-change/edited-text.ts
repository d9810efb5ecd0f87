import type { Steps } from '#platform/kernel';
import { sentencesOf } from '#processing/extraction';
import { undated } from './undated.ts';

/** Pieces with which a text is long enough to be recognised. */
const LEAST_PIECES = 3;
/** Longest line whose sentences are compared; a longer one is a single piece. UTF-16 code units. */
const LONGEST_LINE = 1_000_000;

/** Code units after which others take their turn, about: what takes a few milliseconds. */
const TURN = 500_000;
/** What a piece costs beside its code units, in those. */
const PIECE = 100;

/**
 * Whether a text is an edited version of the stored one: the first piece is the same, most of the others stand in it in the
 * same order, and what is gone was not replaced by the same words with another number or date, as in a form that is filled in
 * again. Pieces are lines, or the sentences of a text of one line. Linear in both lengths.
 */
export function* isEditedText(stored: string, sent: string): Steps<boolean> {
  const byLines = yield* linesOf(stored);
  const isLine = byLines.length === 1 && stored.length <= LONGEST_LINE && sent.length <= LONGEST_LINE;
  const before = isLine ? sentences(stored) : byLines;
  const after = isLine ? sentences(sent) : yield* linesOf(sent);
  if (before.length < LEAST_PIECES || before[0] !== after[0]) return false;
  const { gone, added, kept, all } = yield* inOrder(before, after);
  return kept * 3 >= all * 2 && !(yield* hasSuccessor(gone, added));
}

interface Difference {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  /** Length of the stored pieces that stay, and of all stored pieces. */
  readonly kept: number;
  readonly all: number;
}

/** Takes the stored pieces one after the other, and each that stands behind the one found last stays. */
function* inOrder(before: readonly string[], after: readonly string[]): Steps<Difference> {
  const pause = pauses();
  /** Places of each piece, the first one last. */
  const places = new Map<string, number[]>();
  for (let at = after.length - 1; at >= 0; at--) {
    const piece = after[at] as string;
    const known = places.get(piece);
    if (known) known.push(at);
    else places.set(piece, [at]);
    yield* pause(piece);
  }
  const gone: string[] = [];
  const stays = new Set<number>();
  let last = -1;
  let kept = 0;
  let all = 0;
  for (const piece of before) {
    all += piece.length;
    const left = places.get(piece) ?? [];
    while (left.length > 0 && (left.at(-1) as number) <= last) left.pop();
    const found = left.pop();
    if (found === undefined) gone.push(piece);
    else {
      last = found;
      stays.add(found);
      kept += piece.length;
    }
    yield* pause(piece);
  }
  return { gone, added: after.filter((_, at) => !stays.has(at)), kept, all };
}

/** Whether a piece that is gone differs from one that is added only in numbers, dates or names of days. */
function* hasSuccessor(gone: readonly string[], added: readonly string[]): Steps<boolean> {
  const pause = pauses();
  const forms = new Set<string>();
  for (const piece of added) {
    forms.add(undated(piece));
    yield* pause(piece);
  }
  for (const piece of gone) {
    if (forms.has(undated(piece))) return true;
    yield* pause(piece);
  }
  return false;
}

const sentences = (text: string): readonly string[] =>
  sentencesOf(text).map(({ start, end }) => text.slice(start, end));

/** Returns the lines with words, trimmed. */
function* linesOf(text: string): Steps<readonly string[]> {
  const pause = pauses();
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== '') lines.push(line);
    start = end + 1;
    yield* pause(line);
  }
  return lines;
}

/** Returns what is called after each piece of work, and yields when others are to take their turn. */
function pauses(): (piece: string) => Steps<void> {
  let seen = 0;
  return function* pause({ length }) {
    seen += PIECE + length;
    if (seen < TURN) return;
    seen = 0;
    yield;
  };
}
