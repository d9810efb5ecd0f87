import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actorOf, type Result, writeScope } from '#platform/kernel';
import { DeleteContainerTag } from './delete-container-tag.command.ts';
import { type DeletedTag, type DeleteTagRefusal, TagDeletion } from './tag-deletion.ts';

@CommandHandler(DeleteContainerTag)
export class DeleteContainerTagHandler implements ICommandHandler<DeleteContainerTag> {
  constructor(private readonly deletion: TagDeletion) {}

  execute({ principal, tag }: DeleteContainerTag): Promise<Result<DeletedTag, DeleteTagRefusal>> {
    const scope = writeScope(principal);
    return this.deletion.delete(scope, actorOf(principal), tag);
  }
}
