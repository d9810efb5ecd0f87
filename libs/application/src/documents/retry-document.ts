import { Command } from '@nestjs/cqrs';
import type { Caller, Result } from '#kernel';
import type { Accepted } from './add-document.ts';

/** `not_failed`: only what was given up can be begun again. */
export type RetryRefusal = 'not_found' | 'not_failed';

/** Has a failed document processed once more; by internal id, else by customId. */
export class RetryDocument extends Command<Result<Accepted, RetryRefusal>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}
