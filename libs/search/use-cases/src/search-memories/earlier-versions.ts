import { type DocumentRepository, type MemoryVersion, memoryIn } from '#documents';
import type { Scope } from '#kernel';
import type { MemoryResult } from './search-memories.query.ts';

/** Earlier versions of one memory in an answer. */
const MOST = 10;

/** Returns the versions of a memory before the one that its row shows, the newest first; none of a passage or joined result. */
export async function earlierVersions(
  documents: DocumentRepository,
  scope: Scope,
  { document: { id, memory }, aggregate }: MemoryResult,
): Promise<readonly MemoryVersion[]> {
  if (memory === undefined || memory.version === 1 || aggregate !== undefined) return [];
  const live = memoryIn(await documents.load({ ...scope, access: 'read' }, id));
  if (live === null) return [];
  const last = memory.version - 1;
  return live.memory.versions.slice(Math.max(last - MOST, 0), last).reverse();
}
