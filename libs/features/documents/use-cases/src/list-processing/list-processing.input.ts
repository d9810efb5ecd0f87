import { IsContainerTag, IsContainerTags, namedTags, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListProcessing } from './list-processing.query.ts';

/** Which documents to list. */
@ShownBy({
  'Of a tag': { containerTag: 'project-atlas' },
})
export class ListProcessingInput {
  /** Repeated, or a comma list. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;
}

export function listProcessing(principal: Principal, query: ListProcessingInput): ListProcessing {
  const named = namedTags(query).flatMap((tags) => tags.split(','));
  return new ListProcessing(principal, [...new Set(named.filter((tag) => tag !== ''))]);
}
