import pLimit from 'p-limit';
import { type OrganizationId, systemScope } from '#platform/kernel';
import type { DocumentRepository } from '../repository.ts';
import { isMemoryDocument, type MemoryDocument } from '../state.ts';

/** Streams that are read at a time. */
const AT_ONCE = 64;

/**
 * Returns memories by the ids of their first versions, without those that are erased. Does not check the scope of the caller:
 * the documents that they were formed from decide who may see them.
 */
export async function loadMemories(
  documents: Pick<DocumentRepository, 'load'>,
  organization: OrganizationId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MemoryDocument>> {
  const scope = { ...systemScope(organization), access: 'read' } as const;
  const loaded = await pLimit(AT_ONCE).map(ids, (id) => documents.load(scope, id));
  return new Map(loaded.filter(isMemoryDocument).map((one) => [one.id, one]));
}
