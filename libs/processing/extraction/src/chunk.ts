import { endsBefore } from './boundaries.ts';
import { parseParts } from './parts.ts';
import type { Passage } from './port.ts';
import { sentencesWithin } from './sentences.ts';
import type { Block } from './structure.ts';
import { WEIGHT_OF_TOKEN, weigh } from './tokens.ts';

/** Maximum size of a chunk, in estimated tokens, unless a size is stated. */
export const CHUNK_TOKENS = 250;

interface OpenChunk {
  start: number;
  end: number;
  weight: number;
  onlyHeadings: boolean;
  /** The first of the text, or of a section under a heading: filled to its limit, so that a short text is one chunk. */
  readonly isFirst: boolean;
}

/**
 * Cuts a text into passages of at most so many tokens, at headings, paragraphs, turns and sentences, and within a word
 * only if the word alone is longer. They cover everything but white space, in order, without overlap. A change of the text
 * moves only boundaries near it (`endsBefore`).
 */
export function chunk(text: string, tokens = CHUNK_TOKENS): Passage[] {
  return parseParts(text).flatMap(({ blocks }) => chunkBlocks(text, blocks, tokens, []));
}

/** @param breaks positions in the order of the text: no chunk reaches beyond one, unless a block does */
export function chunkBlocks(
  text: string,
  blocks: readonly Block[],
  tokens: number,
  breaks: readonly number[],
): Passage[] {
  const limit = tokens * WEIGHT_OF_TOKEN;
  const chunks: Passage[] = [];
  let open: OpenChunk | null = null;
  let nextBreak = 0;
  const close = (): void => {
    if (open !== null) chunks.push({ start: open.start, end: open.end });
    open = null;
  };
  const endsAt = ({ isFirst, weight }: OpenChunk, part: Passage, added: number): boolean =>
    !isFirst && endsBefore('chunk', text, part, weight / limit, added / limit);
  const add = (part: Passage, weight: number, heading: boolean): void => {
    const breaksBefore = nextBreak;
    while (nextBreak < breaks.length && (breaks[nextBreak] as number) <= part.start) nextBreak++;
    const isBroken = nextBreak !== breaksBefore;
    if (open !== null && !isBroken && (!heading || open.onlyHeadings)) {
      const together = open.weight + weigh(text, open.end, part.start) + weight;
      if (together <= limit && !endsAt(open, part, weight)) {
        open.end = part.end;
        open.weight = together;
        open.onlyHeadings &&= heading;
        return;
      }
    }
    const isFirst = open === null || heading || isBroken;
    close();
    open = { start: part.start, end: part.end, weight, onlyHeadings: heading, isFirst };
  };

  for (const block of blocks) {
    const weight = weigh(text, block.start, block.end);
    if (weight <= limit) {
      add(block, weight, block.kind === 'heading');
    } else {
      for (const part of sentencesWithin(text, block.start, block.end, limit)) {
        add(part, weigh(text, part.start, part.end), false);
      }
    }
  }
  close();
  return chunks;
}
