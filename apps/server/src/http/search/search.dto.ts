import { filterOf, IsFilter } from '#features/search/input';
import { SearchDocuments, SearchMemories, type SearchMode } from '#features/search/use-cases';
import {
  IsContainerTag,
  IsContainerTags,
  IsDateText,
  IsFlag,
  IsFraction,
  IsNested,
  IsOneOf,
  IsPastTime,
  IsText,
  IsTextList,
  IsWholeNumber,
  namedTags,
  Required,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import { dateIn, momentOf } from '../documents/as-of.dto.ts';

const MODES = ['memories', 'hybrid', 'documents'];
/** Of searches for memories and of profiles. */
export const DEFAULT_THRESHOLD = 0.6;

export class ExplainQuery {
  /** Adds `explain`, the parts of the score, to each result. An addition of this server. */
  @IsOneOf(['true', 'false'])
  explain?: string;
}

/** Fields of both searches. */
class SearchBody {
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

/** A search for documents. */
@ShownBy({
  'A question': { q: 'Who brings the prototype?', containerTag: 'project-atlas', limit: 5 },
  'With filters': {
    q: 'prototype',
    filters: {
      AND: [
        { key: 'kind', value: 'note' },
        {
          OR: [
            { key: 'year', value: 2025, filterType: 'numeric', numericOperator: '>=' },
            { key: 'draft', value: true, negate: true },
          ],
        },
      ],
    },
    includeFullDocs: true,
  },
})
export class DocumentSearchBody extends SearchBody {
  /** Lowest score of a relevant chunk. */
  @IsFraction()
  chunkThreshold = 0;

  /** Lowest score of a document. */
  @IsFraction()
  documentThreshold = 0;

  /** Only in this document: id, else customId. Of several with the customId the one that the tags of the search pick. */
  @IsText({ min: 1, max: 255 })
  docId?: string;

  /** false adds the neighbours of each relevant chunk. */
  @IsFlag()
  onlyMatchingChunks = true;

  /** Adds `content`. */
  @IsFlag()
  includeFullDocs = false;

  /** Adds `summary`. */
  @IsFlag()
  includeSummary = false;

  /** Deprecated. No effect. */
  @IsTextList()
  categoriesFilter?: string[];
}

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
export class MemorySearchBody extends SearchBody {
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

const tagsIn = ({ containerTag, containerTags }: SearchBody) => namedTags(containerTag, containerTags);

const options = (body: SearchBody) => ({
  question: body.q,
  filter: filterOf(body.filters),
  filepath: body.filepath ?? null,
  limit: body.limit,
  rewriteQuery: body.rewriteQuery,
  rerank: body.rerank,
  asOf: momentOf(body),
});

export function searchDocuments(principal: Principal, body: DocumentSearchBody): SearchDocuments {
  return new SearchDocuments(principal, tagsIn(body), {
    ...options(body),
    chunkThreshold: body.chunkThreshold,
    documentThreshold: body.documentThreshold,
    document: body.docId ?? null,
    onlyMatchingChunks: body.onlyMatchingChunks,
    includeFullDocs: body.includeFullDocs,
  });
}

export function searchMemories(principal: Principal, body: MemorySearchBody): SearchMemories {
  return new SearchMemories(principal, tagsIn(body), {
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

export const documentParts = (body: DocumentSearchBody, query: ExplainQuery) => ({
  includeFullDocs: body.includeFullDocs,
  includeSummary: body.includeSummary,
  explain: body.explain || query.explain === 'true',
});

export const memoryParts = (body: MemorySearchBody, query: ExplainQuery) => ({
  documents: body.include.documents,
  summaries: body.include.summaries,
  explain: body.explain || query.explain === 'true',
});
