import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ContainerTagRepository } from '#features/container-tags';
import { actorOf, hasCode, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { AddEntityContext } from './add-entity-context.command.ts';

@CommandHandler(AddEntityContext)
export class AddEntityContextHandler implements ICommandHandler<AddEntityContext> {
  constructor(private readonly tags: ContainerTagRepository) {}

  async execute({ principal, tags, entityContext }: AddEntityContext): Promise<void> {
    const scope = writeScope(principal);
    const cause = requestCause(actorOf(principal));
    for (const tag of tags) {
      try {
        await this.tags.change(scope, tag, cause, (known) => (known.entityContext === null ? { entityContext } : {}));
      } catch (error) {
        // What came with the context is stored; a merge that has started since erases what is set on the tag.
        if (!hasCode(error, 'tag_merging')) throw error;
      }
    }
  }
}
