import type { Passage } from './port.ts';
import { sentencesWithin } from './sentences.ts';
import { type Block, parseBlocks } from './structure.ts';
import { WEIGHT_OF_TOKEN, weigh } from './tokens.ts';

/** Maximum size of a chunk, in estimated tokens. */
export const CHUNK_TOKENS = 250;
const LIMIT = CHUNK_TOKENS * WEIGHT_OF_TOKEN;

interface OpenChunk {
  start: number;
  end: number;
  weight: number;
  onlyHeadings: boolean;
}

/**
 * Cuts a text into passages of at most `CHUNK_TOKENS`, at headings, paragraphs, turns and sentences, and within a word
 * only if the word alone is longer. They cover everything but white space, in order, without overlap.
 */
export function chunk(text: string): Passage[] {
  return chunkBlocks(text, parseBlocks(text));
}

export function chunkBlocks(text: string, blocks: readonly Block[]): Passage[] {
  const chunks: Passage[] = [];
  let open: OpenChunk | null = null;
  const close = (): void => {
    if (open !== null) chunks.push({ start: open.start, end: open.end });
    open = null;
  };
  const add = (part: Passage, weight: number, heading: boolean): void => {
    if (open !== null && (!heading || open.onlyHeadings)) {
      const together = open.weight + weigh(text, open.end, part.start) + weight;
      if (together <= LIMIT) {
        open.end = part.end;
        open.weight = together;
        open.onlyHeadings &&= heading;
        return;
      }
    }
    close();
    open = { start: part.start, end: part.end, weight, onlyHeadings: heading };
  };

  for (const block of blocks) {
    const weight = weigh(text, block.start, block.end);
    if (weight <= LIMIT) {
      add(block, weight, block.kind === 'heading');
    } else {
      for (const part of sentencesWithin(text, block.start, block.end, LIMIT)) {
        add(part, weigh(text, part.start, part.end), false);
      }
    }
  }
  close();
  return chunks;
}
