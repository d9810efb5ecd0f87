import { CountDocuments, GetDocumentsWithMemories, ListDocumentsWithMemories } from '#features/documents/use-cases';
import { IsNameList, IsOneOf, IsTextList, namedTags, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { type Page, PagedBody, pagedOptions, pageFrom, TaggedBody } from './paged-body.dto.ts';

/** A page holds the memories of its documents, so it is shorter than one of the list. */
const MAX_LIMIT = 500;

/** Which documents to list. */
@ShownBy({
  'The newest of a tag': { containerTags: ['project-atlas'], page: 1, limit: 20, sort: 'createdAt', order: 'desc' },
  'Only texts': { categories: ['text'] },
})
export class GraphBody extends PagedBody {
  /** Documents on a page. A value above 500 counts as 500. */
  override limit: number | string = 10;

  /** Only documents from one of these sources. Empty: from any. */
  @IsTextList()
  sources?: string[];

  /** Only documents of one of these types. Empty: of any. */
  @IsTextList()
  categories?: string[];
}

/** Which documents to read. */
@ShownBy({
  'By customId': { ids: ['kick-off', 'chat-7'], by: 'customId' },
})
export class ByIdsBody extends TaggedBody {
  /** At least one, at most 500. A customId stands for all documents that have it; the answer has up to 1,000. */
  @Required()
  @IsNameList(MAX_LIMIT)
  ids!: string[];

  /** What the ids are. */
  @IsOneOf(['id', 'customId'])
  by: 'id' | 'customId' = 'id';
}

/** Which documents to count. */
@ShownBy({
  'Of a tag': { containerTags: ['project-atlas'] },
})
export class FacetsBody extends TaggedBody {}

export const graphPage = (body: GraphBody): Page => pageFrom(body, MAX_LIMIT);

const tagsIn = ({ containerTag, containerTags }: TaggedBody) => namedTags(containerTag, containerTags);

const anyOrNull = (names: readonly string[] = []): readonly string[] | null => (names.length === 0 ? null : names);

export function listWithMemories(principal: Principal, body: GraphBody): ListDocumentsWithMemories {
  const { sources, categories } = body;
  return new ListDocumentsWithMemories(principal, tagsIn(body), {
    ...{ sources: anyOrNull(sources), types: anyOrNull(categories) },
    ...pagedOptions(body, MAX_LIMIT),
  });
}

export const getWithMemories = (principal: Principal, body: ByIdsBody): GetDocumentsWithMemories =>
  new GetDocumentsWithMemories(principal, tagsIn(body), body.by, body.ids);

export const countDocuments = (principal: Principal, body: FacetsBody): CountDocuments =>
  new CountDocuments(principal, tagsIn(body));
