import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import { DeleteContainerTag } from './delete-container-tag.command.ts';
import { type DeletedTag, type DeleteTagRefusal, TagDeletion } from './tag-deletion.ts';

@CommandHandler(DeleteContainerTag)
export class DeleteContainerTagHandler implements ICommandHandler<DeleteContainerTag> {
  constructor(private readonly deletion: TagDeletion) {}

  execute({ scope, actor, tag }: DeleteContainerTag): Promise<Result<DeletedTag, DeleteTagRefusal>> {
    return this.deletion.delete(scope, actor, tag);
  }
}
