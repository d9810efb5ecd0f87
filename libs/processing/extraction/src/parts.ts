import { atOnce, type Steps } from '#platform/kernel';
import { type MarkedPart, markedParts } from './marked-text.ts';
import type { Passage } from './port.ts';
import { type Block, parseBlocks } from './structure.ts';
import { LINES_AT_ONCE } from './turns.ts';

/** A part of a text that is cut by itself: no passage reaches beyond it. */
export interface TextPart extends Passage {
  /** Where its markers begin: behind the part before it. */
  readonly from: number;
  /** In the order of the text; never empty. */
  readonly blocks: readonly Block[];
  /** ISO 8601, as the markers around it say. Null: they do not. */
  readonly date: string | null;
}

/**
 * Cuts a text with `\n` line ends into its marked parts, and these into blocks. A text without words has none. Linear.
 * @param borders where texts begin that were added one by one, in order: each is read by itself
 */
export const parseParts = (text: string, borders: readonly number[] = []): readonly TextPart[] =>
  atOnce(partsOf(text, borders));

/** As `parseParts`, in steps. */
export function* partsOf(text: string, borders: readonly number[] = []): Steps<readonly TextPart[]> {
  const parts: TextPart[] = [];
  for (const { speaker, ...part } of yield* partsBetween(text, borders)) {
    const { start, end } = part;
    const blocks: readonly Block[] =
      speaker === null ? yield* blocksWithin(text, start, end) : [{ kind: 'turn', start, end, speaker, body: start }];
    if (blocks.length > 0) parts.push({ ...part, blocks });
  }
  return parts;
}

function* partsBetween(text: string, borders: readonly number[]): Steps<readonly MarkedPart[]> {
  if (borders.length === 0) return yield* markedParts(text);
  const parts: MarkedPart[] = [];
  const starts = [0, ...borders];
  for (const [i, at] of starts.entries()) {
    for (const { from, start, end, ...part } of yield* markedParts(text.slice(at, starts[i + 1]))) {
      parts.push({ ...part, from: from + at, start: start + at, end: end + at });
    }
    if (i % LINES_AT_ONCE === 0) yield;
  }
  return parts;
}

function* blocksWithin(text: string, from: number, to: number): Steps<readonly Block[]> {
  const blocks = yield* parseBlocks(text.slice(from, to));
  if (from === 0) return blocks;
  return blocks.map(({ start, end, body, ...block }) => ({
    ...block,
    ...{ start: start + from, end: end + from, body: body + from },
  }));
}
