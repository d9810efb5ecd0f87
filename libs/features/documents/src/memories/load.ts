import pLimit from 'p-limit';
import { type OrganizationId, systemScope } from '#platform/kernel';
import type { DocumentRepository } from '../repository.ts';
import { isMemoryDocument, type MemoryDocument } from '../state.ts';

/** Streams that are read at a time. */
const AT_ONCE = 64;

/**
 * Returns a memory by the id of its first version. Null: it is erased. Does not check the scope of the caller: the document that
 * it was formed from decides who may see it, or its row has been checked.
 */
export async function loadMemory(
  documents: Pick<DocumentRepository, 'load'>,
  organization: OrganizationId,
  id: string,
): Promise<MemoryDocument | null> {
  const state = await documents.load({ ...systemScope(organization), access: 'read' }, id);
  return isMemoryDocument(state) ? state : null;
}

/** As `loadMemory`, of several ids; without those that are erased. */
export async function loadMemories(
  documents: Pick<DocumentRepository, 'load'>,
  organization: OrganizationId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MemoryDocument>> {
  const loaded = await pLimit(AT_ONCE).map(ids, (id) => loadMemory(documents, organization, id));
  return new Map(loaded.flatMap((one) => (one === null ? [] : [[one.id, one] as const])));
}
