import { type ChunkRef, identifyPassages, type Live, type MemoryRef, type Pieces } from '#features/documents';
import type { Passages } from '#processing/extraction';
import type { StageTools } from './stage.ts';

/**
 * Gives the passages of a document their ids, stores their lists, and forms the summary if no vectors will decide it.
 * @param text the extracted text, of which the passages are ranges
 */
export async function formPieces(
  { texts, summaries }: Pick<StageTools, 'texts' | 'summaries'>,
  document: Live,
  text: string,
  passages: Passages,
): Promise<Pieces> {
  const { organization, id, taskType } = document;
  const wanted = taskType === 'superrag' ? { ...passages, memories: [] } : passages;
  const { chunks, memories, unitKey } = await identifyPassages(document, text, wanted);
  const [chunkList, memoryList] = await Promise.all([
    texts.storeList<ChunkRef>(organization, id, chunks),
    texts.storeList<MemoryRef>(organization, id, memories),
  ]);
  const sizes = { chunks: chunks.length, memories: memories.length };
  const summary = await summaries.ofPassages(document, text, wanted);
  return { chunks: chunkList, memories: memoryList, unitKey, sizes, ...(summary !== undefined && { summary }) };
}
