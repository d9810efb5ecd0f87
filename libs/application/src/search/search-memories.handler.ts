import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { UnitKind, ViewsReader } from '#views';
import { VIEWS_READER } from '../ports.ts';
import { scopeOf } from '../scope.ts';
import { type FoundMemory, SearchMemories, type SearchMode } from './queries.ts';
import { Questions } from './questions.ts';
import { scored, withoutRepetition } from './results.ts';

const KINDS: Readonly<Record<SearchMode, readonly UnitKind[]>> = {
  memories: ['memory'],
  documents: ['chunk'],
  hybrid: ['memory', 'chunk'],
};

/** Looked at beyond the limit, so that repetitions do not leave the answer short. */
const SPARE = 20;

@QueryHandler(SearchMemories)
export class SearchMemoriesHandler implements IQueryHandler<SearchMemories> {
  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    private readonly questions: Questions,
  ) {}

  async execute({ caller, options }: SearchMemories): Promise<readonly FoundMemory[]> {
    const { question, filter, filepath, limit, threshold, mode } = options;
    const scope = scopeOf(caller, options.tags);
    if (question.trim() === '*') return this.#newest({ scope, filter, filepath }, limit);
    const vector = await this.questions.vectorOf(question);
    const perKind = await Promise.all(
      KINDS[mode].map(async (kind) => {
        const query = { scope, filter, filepath, kind, question, vector, documentId: null, limit: limit + SPARE };
        return scored(await this.views.search(query), vector?.space ?? null);
      }),
    );
    const merged = perKind
      .flat()
      .map(({ hit, ...result }) => ({ ...result, unit: hit.unit, document: hit.document }))
      .sort((a, b) => b.similarity - a.similarity)
      .filter((result) => result.similarity >= threshold);
    return withoutRepetition(merged, (result) => result.unit.text).slice(0, limit);
  }

  /** `*` asks for everything: the newest first, each as good as the other. */
  async #newest(query: Parameters<ViewsReader['newestMemories']>[0], limit: number): Promise<readonly FoundMemory[]> {
    const newest = await this.views.newestMemories(query, limit);
    return newest.map(({ unit, document }) => ({ unit, document, similarity: 1, explanation: null }));
  }
}
