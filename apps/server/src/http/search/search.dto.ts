import type { Caller } from '#kernel';
import { GetProfile, type ProfileSection, SearchDocuments, SearchMemories, type SearchMode } from '#search/use-cases';
import { readableTags } from '../access/tags.ts';
import { Choice, Flag, Fraction, Nested, QueryFlag, Text, Texts, Whole } from '../validation/fields.ts';
import { FilterField, filterOf, namedTags, Tag, Tags } from '../validation/values.ts';

const MODES = ['memories', 'hybrid', 'documents'];
const SECTIONS: readonly ProfileSection[] = ['static', 'dynamic', 'buckets'];
const DEFAULT_THRESHOLD = 0.6;

export class ExplainQuery {
  @QueryFlag('Adds `explain` to what was found: the parts of its score. Our own addition.')
  explain?: string;
}

/** What both searches understand. */
class SearchBody {
  @Text('What to look for; `*` lists the newest.', { required: true, min: 1 })
  q!: string;

  @Tag('Joined with containerTags.')
  containerTag?: string;

  @Tags('Only what carries at least one of these; none named: everything.')
  containerTags?: string | string[];

  @Whole(1, 100, 'Most results. Default 10.')
  limit = 10;

  @FilterField()
  filters?: unknown;

  @Text('Exact, or a prefix where it ends in `/`.', { min: 1, max: 4096 })
  filepath?: string;

  @Flag('Second-stage scoring. Changes nothing yet.')
  rerank?: boolean;

  @Flag('Query expansion. Changes nothing yet.')
  rewriteQuery?: boolean;

  @Flag('As `?explain=true`.')
  explain = false;
}

export class DocumentSearchBody extends SearchBody {
  @Fraction('A chunk is relevant from this score on. Default 0.')
  chunkThreshold = 0;

  @Fraction('Documents with a lower score are left out. Default 0.')
  documentThreshold = 0;

  @Text('Only in this document: id, else customId.', { min: 1, max: 255 })
  docId?: string;

  @Flag('false adds the neighbours of each relevant chunk. Default true.')
  onlyMatchingChunks = true;

  @Flag('Adds `content`. Default false.')
  includeFullDocs = false;

  @Flag('Adds `summary`. Default false.')
  includeSummary = false;

  @Texts('Ignored.', { list: true })
  categoriesFilter?: string[];
}

class Include {
  @Flag('Forgotten and expired memories too. Changes nothing yet.')
  forgottenMemories = false;

  @Flag('The source documents of each result.')
  documents = false;

  @Flag('The summaries of the source documents.')
  summaries = false;

  @Flag('Relatives of each memory. Changes nothing yet.')
  relatedMemories = false;

  @Flag('Deprecated: searches chunks too.')
  chunks = false;
}

export class MemorySearchBody extends SearchBody {
  @Choice(MODES, 'Default memories.')
  searchMode: SearchMode = 'memories';

  @Fraction(`Lowest similarity. Default ${DEFAULT_THRESHOLD}.`)
  threshold = DEFAULT_THRESHOLD;

  @Flag('Synthesised results. Changes nothing yet.')
  aggregate?: boolean;

  @Nested(Include, 'What else to return.')
  include = new Include();
}

export class ProfileBody {
  @Tag('Whose profile.', { required: true })
  containerTag!: string;

  @Text('When given, what is found for it stands under `searchResults`.')
  q?: string;

  @Fraction(`Lowest similarity of search results. Default ${DEFAULT_THRESHOLD}.`)
  threshold = DEFAULT_THRESHOLD;

  @FilterField()
  filters?: unknown;

  @Texts('Sections to compute. Default all.', { choices: SECTIONS, list: true })
  include: ProfileSection[] = [...SECTIONS];

  @Texts('Buckets to compute. Changes nothing yet.', { list: true })
  buckets?: string[];

  @Whole(1, 100, 'Most search results. Default 10.')
  limit = 10;
}

const options = (caller: Caller, body: SearchBody) => ({
  question: body.q,
  tags: readableTags(caller, namedTags(body.containerTag, body.containerTags)),
  filter: filterOf(body.filters),
  filepath: body.filepath ?? null,
  limit: body.limit,
});

export const searchDocuments = (caller: Caller, body: DocumentSearchBody): SearchDocuments =>
  new SearchDocuments(caller, {
    ...options(caller, body),
    chunkThreshold: body.chunkThreshold,
    documentThreshold: body.documentThreshold,
    documentId: body.docId ?? null,
    onlyMatchingChunks: body.onlyMatchingChunks,
    includeFullDocs: body.includeFullDocs,
  });

export const searchMemories = (caller: Caller, body: MemorySearchBody): SearchMemories =>
  new SearchMemories(caller, {
    ...options(caller, body),
    mode: body.include.chunks && body.searchMode === 'memories' ? 'hybrid' : body.searchMode,
    threshold: body.threshold,
  });

export const getProfile = (caller: Caller, body: ProfileBody): GetProfile => {
  readableTags(caller, [body.containerTag]);
  return new GetProfile(caller, {
    tag: body.containerTag,
    filter: filterOf(body.filters),
    sections: body.include,
  });
};

/** Clients read a memory or a chunk from a profile's results. */
export const searchProfile = (caller: Caller, body: ProfileBody, question: string): SearchMemories =>
  new SearchMemories(caller, {
    question,
    tags: readableTags(caller, [body.containerTag]),
    filter: filterOf(body.filters),
    filepath: null,
    limit: body.limit,
    mode: 'hybrid',
    threshold: body.threshold,
  });

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
