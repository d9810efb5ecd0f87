import { Command } from '@nestjs/cqrs';
import type { Caller, Result } from '#kernel';

/** Erases a document for good, by internal id, else by customId. It is gone from every search when this resolves. */
export class DeleteDocument extends Command<Result<{ readonly id: string }, 'not_found'>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}
