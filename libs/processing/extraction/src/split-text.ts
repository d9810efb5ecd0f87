import type { Section } from '#platform/kernel';
import { CHUNK_TOKENS, chunkBlocks } from './chunk.ts';
import { breaksOf, inPart, inSections } from './locations.ts';
import { memoriesOfBlocks } from './memories.ts';
import { parseParts, type TextPart } from './parts.ts';
import type { MemoryPassage, Passage } from './port.ts';

export interface Passages {
  readonly chunks: readonly Passage[];
  readonly memories: readonly MemoryPassage[];
}

/**
 * Cuts an extracted text into chunks and memories, each with its place in the source.
 * @param chunkTokens maximum size of a chunk
 * @param sections of the text, in its order
 * @param borders where texts begin that were added one by one, in order: no passage reaches beyond one
 */
export const splitText = (
  text: string,
  chunkTokens = CHUNK_TOKENS,
  sections: readonly Section[] = [],
  borders: readonly number[] = [],
): Passages => splitParts(text, parseParts(text, borders, sections), chunkTokens, sections);

export function splitParts(
  text: string,
  parts: readonly TextPart[],
  chunkTokens: number,
  sections: readonly Section[],
): Passages {
  const breaks = breaksOf(sections);
  const located = <P extends Passage>(cut: (blocks: TextPart['blocks']) => readonly P[]): readonly P[] =>
    inSections(
      text,
      sections,
      parts.flatMap((part) => inPart(text, part, cut(part.blocks))),
    );
  return {
    chunks: located((blocks) => chunkBlocks(text, blocks, chunkTokens, breaks)),
    memories: located((blocks) => memoriesOfBlocks(text, blocks, breaks)),
  };
}
