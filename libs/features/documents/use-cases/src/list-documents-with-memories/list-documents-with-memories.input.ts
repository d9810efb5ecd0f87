import { PagedInput, pagedOptions, pageFrom } from '#features/documents/requests';
import { IsTextList, namedTags, type Page, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListDocumentsWithMemories } from './list-documents-with-memories.query.ts';

/** A page holds the memories of its documents, so it is shorter than one of the list. */
export const MAX_LIMIT = 500;

/** Which documents to list. */
@ShownBy({
  'The newest of a tag': { containerTags: ['project-atlas'], page: 1, limit: 20, sort: 'createdAt', order: 'desc' },
  'Only texts': { categories: ['text'] },
})
export class ListDocumentsWithMemoriesInput extends PagedInput {
  /** Documents on a page. A value above 500 counts as 500. */
  override limit: number | string = 10;

  /** Only documents from one of these sources. Empty: from any. */
  @IsTextList()
  sources?: string[];

  /** Only documents of one of these types. Empty: of any. */
  @IsTextList()
  categories?: string[];
}

export const graphPage = (body: ListDocumentsWithMemoriesInput): Page => pageFrom(body, MAX_LIMIT);

const anyOrNull = (names: readonly string[] = []): readonly string[] | null => (names.length === 0 ? null : names);

export function listWithMemories(
  principal: Principal,
  body: ListDocumentsWithMemoriesInput,
): ListDocumentsWithMemories {
  const { sources, categories } = body;
  return new ListDocumentsWithMemories(principal, namedTags(body), {
    ...{ sources: anyOrNull(sources), types: anyOrNull(categories) },
    ...pagedOptions(body, MAX_LIMIT),
  });
}
