import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';

/** Erases a document for good, by internal id, else by customId. No search finds it once this resolves. */
export class DeleteDocument extends Command<Result<{ readonly id: string }, AccessRefusal>> {
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
