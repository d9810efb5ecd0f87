import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { DeletedTag, DeleteTagRefusal } from './tag-deletion.ts';

/** Erases the documents of a tag for good, and what was set on it. Documents with another tag lose only this one. */
export class DeleteContainerTag extends Command<Result<DeletedTag, DeleteTagRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly tag: string,
  ) {
    super();
  }
}
