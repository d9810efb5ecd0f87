import type { ChunkRef, DocumentTexts, Live, MemoryRef, Pieces } from '#documents';
import { newId } from '#kernel';
import type { Passages } from '../text-jobs.ts';

/** Gives the passages of a document their ids and stores their lists. */
export async function formPieces(
  texts: DocumentTexts,
  { organization, id, taskType }: Live,
  { chunks, memories }: Passages,
): Promise<Pieces> {
  const wanted = taskType === 'superrag' ? [] : memories;
  const [chunkList, memoryList] = await Promise.all([
    texts.storeList<ChunkRef>(
      organization,
      id,
      chunks.map(({ start, end }) => [newId(), start, end]),
    ),
    texts.storeList<MemoryRef>(
      organization,
      id,
      wanted.map(({ start, end, speaker }) => [newId(), start, end, speaker]),
    ),
  ]);
  return { chunks: chunkList, memories: memoryList, sizes: { chunks: chunks.length, memories: wanted.length } };
}
