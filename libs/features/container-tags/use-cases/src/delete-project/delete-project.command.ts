import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { DeletedTag, DeleteTagRefusal } from '../delete-container-tag/tag-deletion.ts';

/** `no_target`: the project to move to does not exist, or is the deleted one. */
export type DeleteProjectRefusal = DeleteTagRefusal | 'project_not_found' | 'no_target';

/** Deletes a project: with its documents, or after they were moved to another one. */
export class DeleteProject extends Command<Result<DeletedTag, DeleteProjectRefusal>> {
  constructor(
    readonly principal: Principal,
    /** Id of the tag. */
    readonly id: string,
    /** Id of the project that gets the documents. Null: they are erased. */
    readonly targetId: string | null,
  ) {
    super();
  }
}
