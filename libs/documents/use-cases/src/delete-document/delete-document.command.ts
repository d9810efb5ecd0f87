import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { Caller, Result } from '#kernel';

/** Erases a document for good, by internal id, else by customId. No search finds it once this resolves. */
export class DeleteDocument extends Command<Result<{ readonly id: string }, AccessRefusal>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}
