import { TaggedInput } from '#features/documents/requests';
import { IsNameList, IsOneOf, namedTags, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { MAX_LIMIT } from '../list-documents-with-memories/list-documents-with-memories.input.ts';
import { GetDocumentsWithMemories } from './get-documents-with-memories.query.ts';

/** Which documents to read. */
@ShownBy({
  'By customId': { ids: ['kick-off', 'chat-7'], by: 'customId' },
})
export class GetDocumentsWithMemoriesInput extends TaggedInput {
  /** 1 to 500. Several documents can have one customId: all of them are returned, up to 1,000 in all. */
  @Required()
  @IsNameList(MAX_LIMIT)
  ids!: string[];

  /** What the ids are. */
  @IsOneOf(['id', 'customId'])
  by: 'id' | 'customId' = 'id';
}

export const getWithMemories = (principal: Principal, body: GetDocumentsWithMemoriesInput): GetDocumentsWithMemories =>
  new GetDocumentsWithMemories(principal, namedTags(body), body.by, body.ids);
