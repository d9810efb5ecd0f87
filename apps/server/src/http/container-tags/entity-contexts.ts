import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AddEntityContext } from '#container-tags/use-cases';
import type { AddDocument, NewDocument } from '#documents/use-cases';

type Tagged = Pick<NewDocument, 'tags'>;
type Author = Pick<AddDocument, 'scope' | 'actor'>;

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
    { document, ...author }: Author & { readonly document: Tagged },
    entityContext: string | undefined,
  ): Promise<T> {
    if (!entityContext) return added;
    return added.then(async (answer) => {
      await this.keepEach(author, [{ document, entityContext }]);
      return answer;
    });
  }

  /** Of several documents with the same tag, the first one with an entity context counts. */
  async keepEach(
    { scope, actor }: Author,
    documents: readonly { readonly document: Tagged; readonly entityContext: string | undefined }[],
  ): Promise<void> {
    const known = new Set<string>();
    for (const { document, entityContext } of documents) {
      if (!entityContext) continue;
      const tags = document.tags.filter((tag) => !known.has(tag));
      for (const tag of tags) known.add(tag);
      if (tags.length > 0) await this.commands.execute(new AddEntityContext(scope, actor, tags, entityContext));
    }
  }
}
