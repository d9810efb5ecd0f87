import { Query } from '@nestjs/cqrs';
import type { Scope } from '#platform/kernel';

/** How many documents of each type the scope has, the most frequent type first. */
export class CountDocuments extends Query<readonly { readonly type: string; readonly count: number }[]> {
  readonly scope: Scope;

  constructor(scope: Scope) {
    super();
    this.scope = scope;
  }
}
