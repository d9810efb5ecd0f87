import { type DocumentRepository, loadMemory } from '#features/documents';
import { type MemoryVersion, withPassage } from '#features/memories';
import type { Scope } from '#platform/kernel';
import type { ViewsReader } from '#read-side/views';
import type { MemoryResult } from './search-memories.query.ts';

/** Earlier versions of one memory in an answer. */
const MOST = 10;

/** Returns the versions of a memory before the one that its row shows, the newest first; none of a passage or joined result. */
export async function earlierVersions(
  documents: DocumentRepository,
  views: Pick<ViewsReader, 'passages'>,
  scope: Scope,
  { document: { id, memory }, aggregate }: MemoryResult,
): Promise<readonly MemoryVersion[]> {
  if (memory === undefined || memory.version === 1 || aggregate !== undefined) return [];
  // The scope permits the row, whose tags may be those of a document.
  const known = (await loadMemory(documents, scope.organization, id))?.memory;
  if (known === undefined) return [];
  const last = memory.version - 1;
  const [first] = memory.documentId === undefined ? [] : await views.passages(scope, { ids: [id] });
  const complete = first === undefined ? known : withPassage(known, first.document, first.unit.text);
  return complete.versions.slice(Math.max(last - MOST, 0), last).reverse();
}
