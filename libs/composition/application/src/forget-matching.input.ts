import { ForgetMemories } from '#features/memories/use-cases';
import { NO_EXTRAS, SearchMemories } from '#features/search/use-cases';
import {
  IsContainerTag,
  IsFlag,
  IsFraction,
  IsNameList,
  IsText,
  IsWholeNumber,
  invalid,
  Required,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';

const MAX_QUERY = 2_000;
const MAX_MATCHING = 500;
const MAX_REASON = 1_000;

/** The memories to forget: those that match `query`, or those with `ids`. */
@ShownBy({
  'By a query, to see what it finds': { containerTag: 'user-mara', query: 'where Mara lives', dryRun: true },
  'By ids': { containerTag: 'user-mara', ids: ['7Qm0000000000000000000'], reason: 'She asked for it.' },
})
export class ForgetMatchingInput {
  /** The tag of the memories. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** What the memories are about. */
  @IsText({ min: 1, max: MAX_QUERY })
  query?: string;

  /** Of any versions. Those that no memory of the tag has, and those of memories that are forgotten, are skipped. */
  @IsNameList(MAX_MATCHING)
  ids?: string[];

  /** Only returns the memories that would be forgotten. */
  @IsFlag()
  dryRun = false;

  /** Lowest similarity. Only with `query`. */
  @IsFraction()
  threshold = 0.5;

  /** Memories that are forgotten at the most. Only with `query`. */
  @IsWholeNumber(1, MAX_MATCHING)
  maxForget = 100;

  /** Why they are forgotten. */
  @IsText({ max: MAX_REASON })
  reason?: string;
}

/** @throws InputError unless there is exactly one of `query` and `ids` */
export function checkMatching({ query, ids }: ForgetMatchingInput): void {
  if (query === undefined && ids === undefined) throw invalid('query', 'query or ids is required');
  if (query !== undefined && ids !== undefined) throw invalid('query', 'query and ids exclude each other');
  if (query?.trim() === '') throw invalid('query', 'query must not be blank');
}

/** The search for memories that match. `*` is a word here, so that it does not stand for all of them. */
export const searchMatching = (principal: Principal, body: ForgetMatchingInput, query: string): SearchMemories =>
  new SearchMemories(principal, [body.containerTag], {
    ...{ question: query.trim() === '*' ? '' : query, filter: null, filepath: null, limit: body.maxForget },
    ...{ rewriteQuery: false, rerank: false, mode: 'memories', threshold: body.threshold, withRepetition: true },
    extras: NO_EXTRAS,
  });

export const forgetMemories = (
  principal: Principal,
  body: ForgetMatchingInput,
  ids: readonly string[],
): ForgetMemories =>
  new ForgetMemories(principal, body.containerTag, ids, {
    reason: body.reason ?? null,
    isDry: body.dryRun,
  });
