import type { Section } from '#kernel';
import { CHUNK_TOKENS, chunkBlocks } from './chunk.ts';
import { breaksOf, withLocations } from './locations.ts';
import { memoriesOfBlocks } from './memories.ts';
import type { MemoryPassage, Passage } from './port.ts';
import { type Block, parseBlocks } from './structure.ts';

export interface Passages {
  readonly chunks: readonly Passage[];
  readonly memories: readonly MemoryPassage[];
}

/**
 * Cuts an extracted text into chunks and memories, each with its place in the source.
 * @param chunkTokens maximum size of a chunk
 * @param sections of the text, in its order
 */
export const splitText = (text: string, chunkTokens = CHUNK_TOKENS, sections: readonly Section[] = []): Passages =>
  splitBlocks(text, parseBlocks(text), chunkTokens, sections);

export function splitBlocks(
  text: string,
  blocks: readonly Block[],
  chunkTokens: number,
  sections: readonly Section[],
): Passages {
  const breaks = breaksOf(sections);
  const chunks = chunkBlocks(text, blocks, chunkTokens, breaks);
  const memories = memoriesOfBlocks(text, blocks, breaks);
  return {
    chunks: withLocations(text, blocks, sections, chunks),
    memories: withLocations(text, blocks, sections, memories),
  };
}
