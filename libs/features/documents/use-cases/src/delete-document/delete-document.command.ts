import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';

/** Erases a document for good, by internal id, else by customId. No search finds it once this resolves. */
export class DeleteDocument extends Command<Result<{ readonly id: string }, AccessRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}
