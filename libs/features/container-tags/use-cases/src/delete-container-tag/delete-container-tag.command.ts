import { Command } from '@nestjs/cqrs';
import type { AccessScope, Result } from '#platform/kernel';
import type { DeletedTag, DeleteTagRefusal } from './tag-deletion.ts';

/** Erases the documents of a tag for good, and what was set on it. Documents with another tag lose only this one. */
export class DeleteContainerTag extends Command<Result<DeletedTag, DeleteTagRefusal>> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  readonly tag: string;

  constructor(scope: AccessScope, actor: string, tag: string) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
  }
}
