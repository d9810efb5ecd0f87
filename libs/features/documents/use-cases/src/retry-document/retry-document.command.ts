import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';
import type { AcceptedDocument } from '../accepted-document.ts';

/** `not_failed`: only a failed document can be processed again. */
export type RetryRefusal = AccessRefusal | 'not_failed';

/** Has a failed document processed once more; by internal id, else by customId. */
export class RetryDocument extends Command<Result<AcceptedDocument, RetryRefusal>> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  readonly idOrCustomId: string;

  constructor(scope: AccessScope, actor: string, idOrCustomId: string) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.idOrCustomId = idOrCustomId;
  }
}
