import { dateIn, IsDateText, IsFlag, IsFraction, IsNested, IsOneOf, namedTags, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { DEFAULT_THRESHOLD, options, SearchInput } from '../search.input.ts';
import { SearchMemories, type SearchMode } from './search-memories.query.ts';

const MODES = ['memories', 'hybrid', 'documents'];

/** What else to return with each result. */
export class MemorySearchInclude {
  /** Memories that were recorded directly and are forgotten or expired are found too. */
  @IsFlag()
  forgottenMemories = false;

  /** The source documents of each result. */
  @IsFlag()
  documents = false;

  /** The summaries of the source documents. */
  @IsFlag()
  summaries = false;

  /** Adds `context` to each result: earlier versions, and the memories before and after it in its document. */
  @IsFlag()
  relatedMemories = false;

  /** Deprecated: searches chunks too, and adds to each result the chunks of its document that were found. */
  @IsFlag()
  chunks = false;
}

/** A search for memories, passages, or both. */
@ShownBy({
  'A question': { q: 'Where is the kick-off?', containerTag: 'project-atlas', threshold: 0.3, limit: 5 },
  'With filters': {
    q: 'prototype',
    searchMode: 'hybrid',
    threshold: 0,
    filters: { AND: [{ key: 'kind', value: 'note' }] },
    include: { documents: true, summaries: true },
    explain: true,
  },
})
export class SearchMemoriesInput extends SearchInput {
  /** memories: memories only. documents: passages only. hybrid: both. */
  @IsOneOf(MODES)
  searchMode: SearchMode = 'memories';

  /** Lowest similarity. */
  @IsFraction()
  threshold = DEFAULT_THRESHOLD;

  /** Adds results that join up to five hits about one subject. */
  @IsFlag()
  aggregate = false;

  /** A date: of each memory the version that counts for it, whenever it was recorded. Not together with asOf. */
  @IsDateText()
  validAt?: string;

  /** What else to return. */
  @IsNested(MemorySearchInclude)
  include = new MemorySearchInclude();
}

export function searchMemories(principal: Principal, body: SearchMemoriesInput): SearchMemories {
  return new SearchMemories(principal, namedTags(body), {
    ...options(body),
    includeInactive: body.include.forgottenMemories,
    validAt: dateIn(body),
    mode: body.include.chunks && body.searchMode === 'memories' ? 'hybrid' : body.searchMode,
    threshold: body.threshold,
    extras: {
      aggregates: body.aggregate,
      chunks: body.include.chunks,
      related: body.include.relatedMemories,
    },
  });
}
