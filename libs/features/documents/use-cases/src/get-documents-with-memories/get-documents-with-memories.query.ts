import { Query } from '@nestjs/cqrs';
import type { Scope } from '#platform/kernel';
import type { DocumentWithMemories } from '../document-memories.ts';

/**
 * Documents by their ids or customIds, in the order of the request, those with one customId oldest first; those outside the scope
 * are left out. By customIds at most 1,000.
 */
export class GetDocumentsWithMemories extends Query<readonly DocumentWithMemories[]> {
  readonly scope: Scope;
  readonly by: 'id' | 'customId';
  readonly names: readonly string[];

  constructor(scope: Scope, by: 'id' | 'customId', names: readonly string[]) {
    super();
    this.scope = scope;
    this.by = by;
    this.names = names;
  }
}
