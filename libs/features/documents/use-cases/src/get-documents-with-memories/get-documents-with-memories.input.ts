import { IsNameList, IsOneOf, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { MAX_LIMIT } from '../list-documents-with-memories/list-documents-with-memories.input.ts';
import { TaggedInput, tagsIn } from '../paged.input.ts';
import { GetDocumentsWithMemories } from './get-documents-with-memories.query.ts';

/** Which documents to read. */
@ShownBy({
  'By customId': { ids: ['kick-off', 'chat-7'], by: 'customId' },
})
export class GetDocumentsWithMemoriesInput extends TaggedInput {
  /** At least one, at most 500. A customId stands for all documents that have it; the answer has up to 1,000. */
  @Required()
  @IsNameList(MAX_LIMIT)
  ids!: string[];

  /** What the ids are. */
  @IsOneOf(['id', 'customId'])
  by: 'id' | 'customId' = 'id';
}

export const getWithMemories = (principal: Principal, body: GetDocumentsWithMemoriesInput): GetDocumentsWithMemories =>
  new GetDocumentsWithMemories(principal, tagsIn(body), body.by, body.ids);
