import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { Caller, Result } from '#kernel';
import type { DocumentView } from '../document-view.ts';

/** By internal id, else by customId; correct right after a write. */
export class GetDocument extends Query<Result<DocumentView, AccessRefusal>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}
