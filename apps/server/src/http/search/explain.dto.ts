import type { SearchDocumentsInput, SearchMemoriesInput } from '#features/search/use-cases';
import { IsOneOf } from '#platform/input';

export class ExplainQuery {
  /** Adds `explain`, the parts of the score, to each result. An addition of this server. */
  @IsOneOf(['true', 'false'])
  explain?: string;
}

export const documentParts = (body: SearchDocumentsInput, query: ExplainQuery) => ({
  includeFullDocs: body.includeFullDocs,
  includeSummary: body.includeSummary,
  explain: body.explain || query.explain === 'true',
});

export const memoryParts = (body: SearchMemoriesInput, query: ExplainQuery) => ({
  documents: body.include.documents,
  summaries: body.include.summaries,
  explain: body.explain || query.explain === 'true',
});
