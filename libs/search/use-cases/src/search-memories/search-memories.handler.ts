import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { readableQuestion } from '#search';
import { Questions } from '#vector-spaces';
import { type UnitHit, type UnitKind, VIEWS_READER, type ViewsReader } from '#views';
import { scored, withoutRepetition } from '../results.ts';
import { type MemoryResult, SearchMemories, type SearchMode } from './search-memories.query.ts';

const KINDS: Readonly<Record<SearchMode, readonly UnitKind[]>> = {
  memories: ['memory'],
  documents: ['chunk'],
  hybrid: ['memory', 'chunk'],
};

/** Fetched beyond the limit, so that repetitions do not leave the answer short. */
const SPARE = 2;
/** Over-fetch factor when duplicates fill the page, as in a container of repeated notes. */
const OVER_FETCH = 8;

@QueryHandler(SearchMemories)
export class SearchMemoriesHandler implements IQueryHandler<SearchMemories> {
  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    private readonly questions: Questions,
  ) {}

  async execute({ scope, options }: SearchMemories): Promise<readonly MemoryResult[]> {
    const { filter, filepath, limit, threshold, mode } = options;
    if (options.question.trim() === '*') return this.#newest({ scope, filter, filepath }, limit);
    const question = readableQuestion(options.question);
    if (question === null) return [];
    const query = { scope, filter, filepath, question, documentId: null };
    const results = await this.questions.search(question, async (vectors) => {
      const look = (most: number) =>
        Promise.all(KINDS[mode].map((kind) => this.views.search({ ...query, kind, vectors, limit: most })));
      const best = (perKind: readonly (readonly UnitHit[])[]) => {
        const all = perKind.flatMap((hits) => scored(hits, vectors));
        const ordered = all.sort((a, b) => b.similarity - a.similarity);
        return withoutRepetition(ordered, ({ hit }) => hit.unit.text);
      };
      const found = await look(limit + SPARE);
      const first = best(found);
      const cutOff = found.some((hits) => hits.length === limit + SPARE);
      return first.length < limit && cutOff ? best(await look(limit * OVER_FETCH)) : first;
    });
    return results
      .filter(({ similarity }) => similarity >= threshold)
      .slice(0, limit)
      .map(({ hit, ...result }) => ({ ...result, unit: hit.unit, document: hit.document }));
  }

  /** `*` asks for everything: the newest first, each as good as the other. */
  async #newest(query: Parameters<ViewsReader['newestMemories']>[0], limit: number): Promise<readonly MemoryResult[]> {
    const newest = await this.views.newestMemories(query, limit);
    return newest.map(({ unit, document }) => ({ unit, document, similarity: 1, explanation: null }));
  }
}
