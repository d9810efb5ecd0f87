import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DocumentRepository, type LiveMemory, memoryIn } from '#documents';
import { type OrganizationId, systemScope } from '#kernel';
import { AT_ONCE } from './named-memory.ts';

/** Memories that were formed from documents and have streams of their own, because callers changed them. */
@Injectable()
export class TouchedMemories {
  constructor(private readonly documents: DocumentRepository) {}

  /**
   * Returns them by the ids of their first versions, those that are erased left out. Whether the caller may see them is
   * decided by their document.
   */
  async of(organization: OrganizationId, ids: readonly string[]): Promise<ReadonlyMap<string, LiveMemory>> {
    const scope = { ...systemScope(organization), access: 'read' } as const;
    const loaded = await pLimit(AT_ONCE).map(ids, async (id) => memoryIn(await this.documents.load(scope, id)));
    return new Map(loaded.flatMap((live) => (live === null ? [] : [[live.id, live] as const])));
  }
}
