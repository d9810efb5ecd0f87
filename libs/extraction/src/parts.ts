import { markedParts } from './marked-text.ts';
import type { Passage } from './port.ts';
import { type Block, parseBlocks } from './structure.ts';

/** A part of a text that is cut by itself: no passage reaches beyond it. */
export interface TextPart extends Passage {
  /** In the order of the text; never empty. */
  readonly blocks: readonly Block[];
  /** ISO 8601, as the markers around it say. Null: they do not. */
  readonly date: string | null;
}

/** Cuts a text with `\n` line ends into its marked parts, and these into blocks. A text without words has none. Linear. */
export function parseParts(text: string): readonly TextPart[] {
  const parts = markedParts(text).map(({ start, end, speaker, date }): TextPart => {
    if (speaker === null) return { start, end, blocks: blocksWithin(text, start, end), date };
    return { start, end, blocks: [{ kind: 'turn', start, end, speaker, body: start }], date };
  });
  return parts.filter(({ blocks }) => blocks.length > 0);
}

function blocksWithin(text: string, from: number, to: number): readonly Block[] {
  const blocks = parseBlocks(text.slice(from, to));
  if (from === 0) return blocks;
  return blocks.map(({ start, end, body, ...block }) => ({
    ...block,
    ...{ start: start + from, end: end + from, body: body + from },
  }));
}
