import { PagedInput, pagedOptions, pageFrom } from '#features/documents/requests';
import { filterOf, IsFilter } from '#features/search/input';
import {
  dateIn,
  IsDateText,
  IsFlag,
  IsPastTime,
  invalid,
  momentOf,
  namedTags,
  type Page,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListMemories } from './list-memories.query.ts';

const MAX_LIMIT = 1100;

/** Which memories to list. */
@ShownBy({ 'Of a tag': { containerTags: ['user-mara'], limit: 20 } })
export class ListMemoriesInput extends PagedInput {
  /** Memories that carry at least one of these. At least one tag is required. */
  override containerTags?: string | string[];

  /** Conditions on the metadata. */
  @IsFilter()
  filters?: unknown;

  /** Memories on a page. A value above 1100 counts as 1100. */
  override limit: number | string = 10;

  /** Forgotten and expired memories too. */
  @IsFlag()
  includeForgotten = false;

  /** A time that is not in the future: the memories as they were then. Default: as they are now. */
  @IsPastTime()
  asOf?: string;

  /** A date: of each memory the version that counts for it, whenever it was recorded. Not together with asOf. */
  @IsDateText()
  validAt?: string;
}

export const pageOfMemories = (body: ListMemoriesInput): Page => pageFrom(body, MAX_LIMIT);

/** @throws InputError without a tag */
export function listMemories(principal: Principal, body: ListMemoriesInput): ListMemories {
  const tags = namedTags(body);
  if (tags.length === 0) throw invalid('containerTags', 'containerTags must name a tag');
  return new ListMemories(principal, tags, {
    ...{ filter: filterOf(body.filters), includeInactive: body.includeForgotten },
    ...{ validAt: dateIn(body), asOf: momentOf(body), ...pagedOptions(body, MAX_LIMIT) },
  });
}
