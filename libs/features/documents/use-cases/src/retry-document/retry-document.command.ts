import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AcceptedDocument } from '#features/documents/requests';
import type { Principal, Result } from '#platform/kernel';

/** `not_failed`: only a failed document can be processed again. */
export type RetryRefusal = AccessRefusal | 'not_failed';

/** Has a failed document processed once more; by internal id, else by customId. */
export class RetryDocument extends Command<Result<AcceptedDocument, RetryRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}
