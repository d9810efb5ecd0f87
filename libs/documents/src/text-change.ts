import { giveWay } from '#kernel';

/** How a text that is sent for an existing document changes the stored one. */
export type TextChange =
  | { readonly kind: 'none' }
  /** `text` follows the stored text. `isDelta`: only the new part was sent. */
  | { readonly kind: 'append'; readonly text: string; readonly isDelta: boolean }
  | { readonly kind: 'replace'; readonly text: string };

export interface Comparison {
  /** The text is what a former attempt of the same request appended, and nothing else was written since. */
  readonly isRepeatedDelta: boolean;
  /** The client sends the whole text each time, whatever its likeness to the stored one. */
  readonly overwrites: boolean;
}

/** Below this length a text is short: a delta may resemble it by chance. UTF-16 code units. */
const SHORT = 200;
/** Share of a short text that an edited version keeps. */
const SHARE_OF_SHORT = 0.8;
/** Share of any other text that an edited version keeps. */
const SHARE = 0.5;

/** Code units that are compared in one step. */
const BLOCK = 4096;
/** Code units after which others take their turn, about: what takes a few milliseconds. */
const TURN = 4_194_304;

/** What a line costs beside its code units, in those. */
const LINE = 1_000;

/** Pauses without a value, then the result. */
type InTurns<T> = Generator<void, T>;

const NONE: TextChange = { kind: 'none' };

/**
 * Compares the text of a request with the stored one, row by row of the contract (§3.3). Linear in both lengths. Other work
 * goes on in between.
 */
export async function compareTexts(stored: string, sent: string, comparison: Comparison): Promise<TextChange> {
  const comparing = compareInTurns(stored, sent, comparison);
  for (;;) {
    const { done, value } = comparing.next();
    if (done) return value;
    await giveWay();
  }
}

function* compareInTurns(
  stored: string,
  sent: string,
  { isRepeatedDelta, overwrites }: Comparison,
): InTurns<TextChange> {
  if (isRepeatedDelta) return NONE;
  const prefix = yield* commonPrefix(stored, sent);
  if (prefix === stored.length && prefix === sent.length) return NONE;
  if (overwrites) return { kind: 'replace', text: sent };
  if (prefix === stored.length) return { kind: 'append', text: sent.slice(stored.length), isDelta: false };
  if (yield* isEdited(stored, sent, prefix)) return { kind: 'replace', text: sent };
  return { kind: 'append', text: stored.endsWith('\n') ? sent : `\n${sent}`, isDelta: true };
}

/** Whether enough of the stored text is left in the sent one for it to be a new version of the whole text. */
function* isEdited(stored: string, sent: string, prefix: number): InTurns<boolean> {
  const wanted = stored.length * (stored.length < SHORT ? SHARE_OF_SHORT : SHARE);
  const shorter = Math.min(stored.length, sent.length);
  if (prefix >= wanted) return true;
  if (prefix + (yield* commonSuffix(stored, sent, shorter - prefix)) >= wanted) return true;
  return yield* equalLines(stored, sent, wanted);
}

function* commonPrefix(a: string, b: string): InTurns<number> {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= end && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) {
    at += BLOCK;
    if (at % TURN === 0) yield;
  }
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** @param limit at most this many code units, so that the suffix does not overlap the prefix */
function* commonSuffix(a: string, b: string, limit: number): InTurns<number> {
  let length = 0;
  const blockBefore = (text: string) => text.slice(text.length - length - BLOCK, text.length - length);
  while (length + BLOCK <= limit && blockBefore(a) === blockBefore(b)) {
    length += BLOCK;
    if (length % TURN === 0) yield;
  }
  while (length < limit && a.charCodeAt(a.length - length - 1) === b.charCodeAt(b.length - length - 1)) length += 1;
  return length;
}

/** Whether lines that both texts have, each as often as both have it, make up the wanted length of the stored text. */
function* equalLines(stored: string, sent: string, wanted: number): InTurns<boolean> {
  const counts = new Map<string, number>();
  let seen = 0;
  for (const line of linesOf(sent)) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
    seen += LINE + line.length;
    if (seen < TURN) continue;
    seen = 0;
    yield;
  }
  let covered = 0;
  let at = 0;
  for (const line of linesOf(stored)) {
    seen += LINE + line.length;
    if (seen >= TURN) {
      seen = 0;
      yield;
    }
    // With its line end, which the last line may lack.
    const length = Math.min(line.length + 1, stored.length - at);
    at += length;
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    counts.set(line, count - 1);
    covered += length;
    if (covered >= wanted) return true;
  }
  return false;
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  // What follows the last line end is no line if it is empty.
  if (start < text.length) yield text.slice(start);
}
