import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { Caller, Result } from '#kernel';
import type { AcceptedDocument } from '../accepted-document.ts';

/** `not_failed`: only a failed document can be processed again. */
export type RetryRefusal = AccessRefusal | 'not_failed';

/** Has a failed document processed once more; by internal id, else by customId. */
export class RetryDocument extends Command<Result<AcceptedDocument, RetryRefusal>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}
