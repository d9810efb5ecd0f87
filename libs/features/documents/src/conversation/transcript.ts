import { giveWay } from '#platform/kernel';
import type { Message } from '../events.ts';
import type { MessageChange } from './compare.ts';
import { turnOf } from './message.ts';

/** How a transcript changes: text that follows it, with the border of `TextChange`, or the whole new text. Null: not at all. */
export type TranscriptChange =
  | { readonly append: string; readonly border: number | null }
  | { readonly replace: string }
  | null;

/** Turns, and lines in which they are searched, before other work may go on. */
const AT_ONCE = 100;

/** The text of a conversation. `borders`: where deltas begin in it. */
export interface Transcript {
  readonly text: string;
  readonly borders: readonly number[];
}

export async function transcriptOf(messages: readonly Message[]): Promise<string> {
  const turns = await turnsOf(messages);
  // In steps, because joining 60,000 turns at once takes longer than other requests may wait.
  let text = turns.slice(0, AT_ONCE).join('\n');
  for (let at = AT_ONCE; at < turns.length; at += AT_ONCE) {
    await giveWay();
    text += `\n${turns.slice(at, at + AT_ONCE).join('\n')}`;
  }
  return text;
}

async function turnsOf(messages: readonly Message[]): Promise<readonly string[]> {
  const turns: string[] = [];
  for (const message of messages) {
    turns.push(turnOf(message));
    if (turns.length % AT_ONCE === 0) await giveWay();
  }
  return turns;
}

/**
 * Changes a text as the messages change. What others have added to the text or changed in it stays: a stored message whose
 * turn is not in the text any more takes nothing away.
 * @param stored all messages of the conversation before the change
 */
export async function changeTranscript(
  text: string,
  stored: readonly Message[],
  { kept, added, isDelta }: MessageChange,
): Promise<TranscriptChange> {
  if (added.length === 0) return null;
  const turns = await transcriptOf(added);
  const gone = kept === stored.length ? [] : (await findTurns(text, await turnsOf(stored))).slice(kept).filter(isFound);
  const first = gone[0];
  if (first === undefined) {
    const append = text === '' || text.endsWith('\n') ? turns : `\n${turns}`;
    return { append, border: isDelta ? append.length - turns.length : null };
  }
  let rest = '';
  let at = first.start;
  for (const { start, end } of gone) {
    rest += text.slice(at, start);
    // With its line end, so that no empty line is left.
    at = text[end] === '\n' ? end + 1 : end;
  }
  rest += text.slice(at);
  return { replace: `${text.slice(0, first.start)}${turns}${rest === '' ? '' : '\n'}${rest}` };
}

/**
 * Returns a transcript with the words of the pictures inside the turns. A turn that others have changed stays as it is.
 * @param words of pictures, by their address in the messages
 */
export async function withWords(
  { text, borders }: Transcript,
  messages: readonly Message[],
  words: ReadonlyMap<string, string>,
): Promise<Transcript> {
  const moved: number[] = [];
  const ranges = await findTurns(text, await turnsOf(messages));
  let made = '';
  let at = 0;
  const moveBorders = (end: number): void => {
    while (moved.length < borders.length && (borders[moved.length] as number) <= end) {
      moved.push((borders[moved.length] as number) - at + made.length);
    }
  };
  for (const [i, message] of messages.entries()) {
    const range = ranges[i] ?? null;
    if (range === null || !message.parts.some((part) => 'image' in part && words.has(part.image))) continue;
    moveBorders(range.start);
    made += text.slice(at, range.start) + turnOf(message, words);
    at = range.end;
  }
  moveBorders(text.length);
  return { text: made + text.slice(at), borders: moved };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds each turn as whole lines after the turn before it. Null: it is not there. */
async function findTurns(text: string, turns: readonly string[]): Promise<readonly (Range | null)[]> {
  const ranges: (Range | null)[] = [];
  let lines: ReadonlyMap<string, readonly number[]> | null = null;
  let at = 0;
  for (const turn of turns) {
    let start = isAt(text, turn, at) ? at : -1;
    if (start < 0) {
      lines ??= await lineStarts(text);
      start = await firstAt(text, turn, lines.get(firstLine(turn)) ?? [], at);
    }
    const end = start + turn.length;
    ranges.push(start < 0 ? null : { start, end });
    if (start >= 0) at = end + 1;
    if (ranges.length % AT_ONCE === 0) await giveWay();
  }
  return ranges;
}

/** Returns the first of the lines, from `at` on, with which the turn begins; -1: none. */
async function firstAt(text: string, turn: string, lines: readonly number[], at: number): Promise<number> {
  for (const [i, line] of lines.entries()) {
    if (line >= at && isAt(text, turn, line)) return line;
    if (i % AT_ONCE === 0) await giveWay();
  }
  return -1;
}

const isFound = (range: Range | null): range is Range => range !== null;

const isAt = (text: string, turn: string, at: number): boolean =>
  text.startsWith(turn, at) && (at + turn.length === text.length || text[at + turn.length] === '\n');

const firstLine = (turn: string): string => turn.split('\n', 1)[0] as string;

/** Where the lines with each text begin, in order. */
async function lineStarts(text: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const starts = new Map<string, number[]>();
  let lines = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const known = starts.get(line);
    if (known) known.push(start);
    else starts.set(line, [start]);
    start = end + 1;
    lines += 1;
    if (lines % AT_ONCE === 0) await giveWay();
  }
  return starts;
}
