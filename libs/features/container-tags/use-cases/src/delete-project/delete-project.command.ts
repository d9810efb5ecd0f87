import { Command } from '@nestjs/cqrs';
import type { AccessScope, Result } from '#platform/kernel';
import type { DeletedTag, DeleteTagRefusal } from '../delete-container-tag/tag-deletion.ts';

/** `no_target`: the project to move to does not exist, or is the deleted one. */
export type DeleteProjectRefusal = DeleteTagRefusal | 'project_not_found' | 'no_target';

/** Deletes a project: with its documents, or after they were moved to another one. */
export class DeleteProject extends Command<Result<DeletedTag, DeleteProjectRefusal>> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  /** Id of the tag. */
  readonly id: string;
  /** Id of the project that gets the documents. Null: they are erased. */
  readonly targetId: string | null;

  constructor(scope: AccessScope, actor: string, id: string, targetId: string | null) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.id = id;
    this.targetId = targetId;
  }
}
