import { DEFAULT_GROUP, GroupEmbedder, Questions, SpaceEmbedders } from '#features/vector-spaces';
import type { ViewsReader } from '#read-side/views';
import { FakeReranker } from '../../../../ports/rerank/src/testing.ts';
import type { UseCases } from '../../../documents/use-cases/src/testing.ts';
import { SearchPipeline } from './pipeline/search-pipeline.ts';
import { SearchDocumentsHandler } from './search-documents/search-documents.handler.ts';
import { SearchMemoriesHandler } from './search-memories/search-memories.handler.ts';

/** Builders for specs of searches; only specs import them. */

/** Embeds questions by the models of one group. */
export const questionsOf = (group: GroupEmbedder, views: Pick<ViewsReader, 'vectorSpace' | 'heldSpaces'>): Questions =>
  new Questions(new SpaceEmbedders([group]), views, { report: () => {} });

/** Embeds questions by one model. */
export const questionsBy = (
  start: ConstructorParameters<typeof GroupEmbedder>[1],
  space: string,
  views: Pick<ViewsReader, 'vectorSpace' | 'heldSpaces'>,
): Questions => questionsOf(new GroupEmbedder(DEFAULT_GROUP, start, space), views);

interface Parts {
  /** Default: search by words alone. */
  readonly questions?: Questions;
  readonly reranker?: FakeReranker;
}

/** Returns the handlers of both searches over one pipeline. */
export function searchHandlers(
  useCases: UseCases,
  { questions = useCases.questions, reranker = new FakeReranker() }: Parts = {},
) {
  const { views, documents, contents, past, pastMemories, knownHits, clock } = useCases;
  const pipeline = new SearchPipeline(views, questions, reranker);
  return {
    memories: new SearchMemoriesHandler(views, pipeline, documents, past, pastMemories, knownHits, clock),
    documents: new SearchDocumentsHandler(views, pipeline, documents, contents, past, knownHits, clock),
  };
}
