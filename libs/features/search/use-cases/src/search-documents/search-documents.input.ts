import { IsFlag, IsFraction, IsText, IsTextList, namedTags, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { options, SearchInput } from '../search.input.ts';
import { SearchDocuments } from './search-documents.query.ts';

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
export class SearchDocumentsInput extends SearchInput {
  /** Lowest score of a relevant chunk. */
  @IsFraction()
  chunkThreshold = 0;

  /** Lowest score of a document. */
  @IsFraction()
  documentThreshold = 0;

  /** Id, or customId, of the only document to search. If several have the customId, the tags of the search pick one. */
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

export function searchDocuments(principal: Principal, body: SearchDocumentsInput): SearchDocuments {
  return new SearchDocuments(principal, namedTags(body), {
    ...options(body),
    chunkThreshold: body.chunkThreshold,
    documentThreshold: body.documentThreshold,
    document: body.docId ?? null,
    onlyMatchingChunks: body.onlyMatchingChunks,
    includeFullDocs: body.includeFullDocs,
  });
}
