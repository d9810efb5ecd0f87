import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  GetContextInput,
  GetProfileInput,
  getContext,
  Profiles,
  SearchDocumentsInput,
  SearchMemoriesInput,
  searchDocuments,
  searchMemories,
} from '#features/search/use-cases';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { isReadLater } from '../documents/record-content.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { streamedJson } from '../transport/streamed-json.ts';
import { ContextAnswer, contextAnswer } from './context.responses.ts';
import { documentParts, ExplainQuery, memoryParts } from './explain.dto.ts';
import { longResultsJson } from './long-results.ts';
import { MemoryResults, memoryResults } from './memory.responses.ts';
import { ProfileAnswer, profileAnswer } from './profile.responses.ts';
import { DocumentResults, documentResults } from './search.responses.ts';

@Controller()
@InSection('Search')
export class SearchController {
  constructor(
    private readonly queries: QueryBus,
    private readonly profiles: Profiles,
  ) {}

  @Post('v3/search')
  @HttpCode(200)
  @CountedAs('search')
  @Requires('read')
  @Documented({
    id: 'searchDocuments',
    summary: 'Search documents',
    description:
      'Finds documents with their best passages, by meaning and by words. Documents are found when their ' +
      'status is `done`.',
    answer: DocumentResults,
    refuses: [404],
  })
  documents(
    @CurrentPrincipal() principal: Principal,
    @Body() body: SearchDocumentsInput,
    @Query() query: ExplainQuery,
  ) {
    const parts = documentParts(body, query);
    return this.queries
      .execute(searchDocuments(principal, body))
      .then(valueOrThrow)
      .then((found) =>
        isReadLater(found.results)
          ? streamedJson<DocumentResults>(longResultsJson(found, parts))
          : documentResults(found, parts),
      );
  }

  @Post('v4/search')
  @HttpCode(200)
  @CountedAs('search_v4')
  @Requires('read')
  @Documented({
    id: 'searchMemories',
    summary: 'Search memories',
    description:
      'Finds memories, passages, or both. While the server has no embedding model, it searches by words ' + 'only.',
    answer: MemoryResults,
    refuses: [],
  })
  memories(@CurrentPrincipal() principal: Principal, @Body() body: SearchMemoriesInput, @Query() query: ExplainQuery) {
    return this.queries
      .execute(searchMemories(principal, body))
      .then((found) => memoryResults(found, memoryParts(body, query)));
  }

  @Post('v4/profile')
  @HttpCode(200)
  @CountedAs('fast_search')
  @Requires('read')
  @Documented({
    id: 'getProfile',
    summary: 'Read the profile of a tag',
    description: 'The newest memories of the tag, and with `q` the results of a search in it.',
    answer: ProfileAnswer,
    refuses: [],
  })
  profile(@CurrentPrincipal() principal: Principal, @Body() body: GetProfileInput) {
    return this.profiles.read(principal, body).then(({ profile, search }) => profileAnswer(profile, search));
  }

  @Post('v4/context')
  @HttpCode(200)
  @CountedAs('search_v4')
  @Requires('read')
  @Documented({
    id: 'getContext',
    summary: 'Get a text for a prompt',
    description:
      'The profile and the best memories for a question, or for the end of a conversation, as a text of at most ' +
      '`maxTokens` tokens.',
    answer: ContextAnswer,
    refuses: [],
  })
  context(@CurrentPrincipal() principal: Principal, @Body() body: GetContextInput) {
    return this.queries.execute(getContext(principal, body)).then(contextAnswer);
  }
}
