import { coreOf, readableQuestion } from '#features/search';
import { type Principal, pastScopeOf } from '#platform/kernel';
import type { DocumentQuery, UnitKind } from '#read-side/views';
import type { SearchOptions } from '../search-options.ts';

/** Which units may be hits of a search. */
export interface CandidateQuery extends DocumentQuery {
  readonly cutAt: number;
  /** Only this document. Null: all. */
  readonly documentId: string | null;
}

/** How many hits of each kind of units a search retrieves. */
export interface HitLimits {
  readonly first: number;
  /** Retrieved instead if the first hits have fewer different texts than the answer may have results. Null: repetitions are results. */
  readonly repeated: { readonly results: number; readonly limit: number } | null;
  readonly leastChunks: number;
  /** Of a question about a past time: hits that are checked for each that is needed, and the most that are checked. */
  readonly checked: { readonly perHit: number; readonly most: number };
}

/** What a search looks for. It follows from the request and the time alone. */
export interface SearchPlan {
  readonly query: CandidateQuery;
  readonly kinds: readonly UnitKind[];
  /** The question is `*`: the newest units are listed. */
  readonly listsNewest: boolean;
  /** As it is searched. Null: it has no letter and no number, and finds nothing. */
  readonly question: string | null;
  /** What the question is about (`coreOf`). Null: no units with speakers are searched. */
  readonly core: string | null;
  /** Several forms of the question are searched. */
  readonly isRewritten: boolean;
  readonly isReranked: boolean;
  readonly limits: HitLimits;
}

interface SearchRequest {
  readonly principal: Principal;
  readonly tags: readonly string[];
  readonly options: SearchOptions;
}

/** Plans what searches have in common. @param now milliseconds since the epoch */
export function planSearch(
  { principal, tags, options }: SearchRequest,
  kinds: readonly UnitKind[],
  now: number,
): Omit<SearchPlan, 'limits'> {
  const { filter, filepath, asOf } = options;
  const question = readableQuestion(options.question);
  return {
    query: {
      ...{ ...pastScopeOf(principal, tags, asOf), filter, filepath, documentId: null, cutAt: now },
      ...(asOf != null && { asOf }),
    },
    kinds,
    listsNewest: options.question.trim() === '*',
    question,
    core: question !== null && kinds.includes('memory') ? coreOf(question) : null,
    isRewritten: options.rewriteQuery,
    isReranked: options.rerank,
  };
}
