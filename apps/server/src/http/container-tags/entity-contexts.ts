import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AddEntityContext } from '#container-tags/use-cases';
import type { AddDocument, NewDocument } from '#documents/use-cases';

/** Keeps the entity context that content was added with on those of its tags that have none. */
@Injectable()
export class EntityContexts {
  private readonly commands: CommandBus;

  constructor(commands: CommandBus) {
    this.commands = commands;
  }

  /** Returns what `added` resolves to, at once if there is no entity context. */
  keep<T>(
    added: Promise<T>,
    { scope, actor, document }: Pick<AddDocument, 'scope' | 'actor'> & { readonly document: Pick<NewDocument, 'tags'> },
    entityContext: string | undefined,
  ): Promise<T> {
    if (!entityContext) return added;
    return added.then(async (answer) => {
      await this.commands.execute(new AddEntityContext(scope, actor, document.tags, entityContext));
      return answer;
    });
  }
}
