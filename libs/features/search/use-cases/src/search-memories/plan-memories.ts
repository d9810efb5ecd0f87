import type { UnitKind } from '#read-side/views';
import { planSearch, type SearchPlan } from '../pipeline/search-plan.ts';
import type { SearchMemories, SearchMode } from './search-memories.query.ts';

const KINDS: Readonly<Record<SearchMode, readonly UnitKind[]>> = {
  memories: ['memory'],
  documents: ['chunk'],
  hybrid: ['memory', 'chunk'],
};

/** Fetched beyond the limit, so that repetitions do not leave the answer short. */
const SPARE = 2;
/** Over-fetch factor when duplicates fill the page, as in a container of repeated notes; also for questions about the past. */
const OVER_FETCH = 8;
/** Hits of a question about a past time that are checked at most. */
const MOST_CHECKED = 400;
/** Chunks that are at least looked for where results show those of their documents. */
const LEAST_CHUNKS = 40;

/** @param now milliseconds since the epoch */
export function planMemories(search: SearchMemories, now: number): SearchPlan {
  const { mode, limit, extras, validAt, includeInactive = false, withRepetition = false } = search.options;
  const { query, ...plan } = planSearch(search, KINDS[mode], now);
  return {
    ...plan,
    query: { ...query, ...(!includeInactive && { activeAt: now }), ...(validAt != null && { validAt }) },
    limits: {
      first: limit + SPARE,
      repeated: withRepetition ? null : { results: limit, limit: limit * OVER_FETCH },
      leastChunks: extras.chunks ? LEAST_CHUNKS : 0,
      checked: { perHit: OVER_FETCH, most: MOST_CHECKED },
    },
  };
}
