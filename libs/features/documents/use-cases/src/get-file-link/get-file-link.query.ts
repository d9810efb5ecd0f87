import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';

/** `no_file`: the document is a text. */
export type FileRefusal = AccessRefusal | 'no_file';

/** A token under which the document's file is served for 15 minutes, by internal id, else by customId. */
export class GetFileLink extends Query<Result<{ readonly token: string }, FileRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}
