import pLimit from 'p-limit';
import { type OrganizationId, systemScope } from '#platform/kernel';
import type { DocumentRepository } from '../repository.ts';
import { type LiveMemory, memoryIn } from './decide.ts';

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
): Promise<ReadonlyMap<string, LiveMemory>> {
  const scope = { ...systemScope(organization), access: 'read' } as const;
  const loaded = await pLimit(AT_ONCE).map(ids, async (id) => memoryIn(await documents.load(scope, id)));
  return new Map(loaded.flatMap((live) => (live === null ? [] : [[live.id, live] as const])));
}
