import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AddEntityContext } from '#features/container-tags/use-cases';
import type { AcceptedContent } from '#features/documents/requests';
import { type AddDocument, type NewDocument, writtenTags } from '#features/documents/use-cases';

type TaggedDocument = Pick<NewDocument, 'tags'>;
type Author = Pick<AddDocument, 'principal'>;

/** Content that was accepted, and the entity context that it was added with. */
interface AddedWithContext {
  readonly document: TaggedDocument;
  readonly added: AcceptedContent;
  readonly entityContext: string | undefined;
}

/** Keeps the entity context that content was added with on those of its tags that have none. */
@Injectable()
export class EntityContexts {
  constructor(private readonly commands: CommandBus) {}

  /** Returns what `adding` resolves to, at once if there is no entity context. */
  keep(
    adding: Promise<AcceptedContent>,
    { document, ...author }: Author & { readonly document: TaggedDocument },
    entityContext: string | undefined,
  ): Promise<AcceptedContent> {
    if (!entityContext) return adding;
    return adding.then(async (added) => {
      await this.keepEach(author, [{ document, added, entityContext }]);
      return added;
    });
  }

  /** Of several documents with the same tag, the first one with an entity context counts. */
  async keepEach({ principal }: Author, documents: readonly AddedWithContext[]): Promise<void> {
    const known = new Set<string>();
    for (const { document, added, entityContext } of documents) {
      if (!entityContext) continue;
      const tags = writtenTags(principal, document.tags, added).filter((tag) => !known.has(tag));
      for (const tag of tags) known.add(tag);
      if (tags.length > 0) await this.commands.execute(new AddEntityContext(principal, tags, entityContext));
    }
  }
}
