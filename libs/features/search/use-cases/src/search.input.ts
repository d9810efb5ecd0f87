import { filterOf, IsFilter } from '#features/search/input';
import {
  IsContainerTag,
  IsContainerTags,
  IsFlag,
  IsPastTime,
  IsText,
  IsWholeNumber,
  momentOf,
  Required,
} from '#platform/input';

/** Of searches for memories and of profiles. */
export const DEFAULT_THRESHOLD = 0.6;

/** Fields of both searches. */
export class SearchInput {
  /** The question; `*` lists the newest. */
  @Required()
  @IsText({ min: 1 })
  q!: string;

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;

  /** Only what carries at least one of these. Default: everything. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Maximum number of results. */
  @IsWholeNumber(1, 100)
  limit = 10;

  /** Restricts the candidates by their metadata, before ranking and limit. */
  @IsFilter()
  filters?: unknown;

  /** Exact, or a prefix if it ends in `/`. */
  @IsText({ min: 1, max: 4096 })
  filepath?: string;

  /** Compares the best passages with the question a second time, token by token. */
  @IsFlag()
  rerank = false;

  /** Searches up to four forms of the question, and raises what holds what it asks for. */
  @IsFlag()
  rewriteQuery = false;

  /** As `?explain=true`. */
  @IsFlag()
  explain = false;

  /** A time that is not in the future: searches what was known then. Default: what is known now. */
  @IsPastTime()
  asOf?: string;
}

export const options = (body: SearchInput) => ({
  question: body.q,
  filter: filterOf(body.filters),
  filepath: body.filepath ?? null,
  limit: body.limit,
  rewriteQuery: body.rewriteQuery,
  rerank: body.rerank,
  asOf: momentOf(body),
});
