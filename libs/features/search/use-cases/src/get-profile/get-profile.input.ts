import { filterOf, IsFilter } from '#features/search/input';
import {
  IsContainerTag,
  IsFraction,
  IsPastTime,
  IsString,
  IsTextList,
  IsWholeNumber,
  momentOf,
  Required,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import { DEFAULT_THRESHOLD } from '../search.input.ts';
import { NO_EXTRAS, SearchMemories } from '../search-memories/search-memories.query.ts';
import { GetProfile, type ProfileSection } from './get-profile.query.ts';

const SECTIONS: readonly ProfileSection[] = ['static', 'dynamic', 'buckets'];

/** Which profile to read. */
@ShownBy({
  'With a question': { containerTag: 'project-atlas', q: 'Who books the room?', threshold: 0.3 },
})
export class GetProfileInput {
  /** The tag of the profile. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** A question; its results are under `searchResults`. */
  @IsString()
  q?: string;

  /** Lowest similarity of search results. */
  @IsFraction()
  threshold = DEFAULT_THRESHOLD;

  /** Restricts the memories by their metadata. */
  @IsFilter()
  filters?: unknown;

  /** Sections to compute. */
  @IsTextList(SECTIONS)
  include: ProfileSection[] = [...SECTIONS];

  /** Buckets to compute. No effect yet. */
  @IsTextList()
  buckets?: string[];

  /** Maximum number of search results. */
  @IsWholeNumber(1, 100)
  limit = 10;

  /** A time that is not in the future: the profile as it was then. Default: as it is now. */
  @IsPastTime()
  asOf?: string;
}

export function getProfile(principal: Principal, body: GetProfileInput): GetProfile {
  const options = { filter: filterOf(body.filters), sections: body.include, asOf: momentOf(body) };
  return new GetProfile(principal, [body.containerTag], options);
}

/** Clients read a memory or a chunk from a profile's results. */
export function searchProfile(principal: Principal, body: GetProfileInput, question: string): SearchMemories {
  return new SearchMemories(principal, [body.containerTag], {
    question,
    filter: filterOf(body.filters),
    filepath: null,
    limit: body.limit,
    rewriteQuery: false,
    rerank: false,
    asOf: momentOf(body),
    mode: 'hybrid',
    threshold: body.threshold,
    extras: NO_EXTRAS,
  });
}
