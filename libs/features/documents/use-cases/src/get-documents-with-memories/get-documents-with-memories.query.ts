import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { DocumentWithMemories } from '../document-memories.ts';

/**
 * Documents by their ids or customIds, in the order of the request, those with one customId oldest first; those without the tags
 * are left out. By customIds at most 1,000.
 */
export class GetDocumentsWithMemories extends Query<readonly DocumentWithMemories[]> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read. */
    readonly tags: readonly string[],
    readonly by: 'id' | 'customId',
    readonly names: readonly string[],
  ) {
    super();
  }
}
