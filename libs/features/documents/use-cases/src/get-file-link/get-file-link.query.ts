import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';

/** `no_file`: the document is a text. */
export type FileRefusal = AccessRefusal | 'no_file';

/** A token under which the document's file is served for 15 minutes, by internal id, else by customId. */
export class GetFileLink extends Query<Result<{ readonly token: string }, FileRefusal>> {
  readonly scope: AccessScope;
  readonly idOrCustomId: string;

  constructor(scope: AccessScope, idOrCustomId: string) {
    super();
    this.scope = scope;
    this.idOrCustomId = idOrCustomId;
  }
}
