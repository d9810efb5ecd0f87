import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { Profiles } from './profiles.ts';
import {
  DocumentSearchBody,
  documentParts,
  ExplainQuery,
  MemorySearchBody,
  memoryParts,
  ProfileBody,
  searchDocuments,
  searchMemories,
} from './search.dto.ts';
import {
  DocumentResults,
  documentResults,
  MemoryResults,
  memoryResults,
  ProfileAnswer,
  profileAnswer,
} from './search.responses.ts';
import { timed } from './timed.ts';

@Controller()
export class SearchController {
  private readonly queries: QueryBus;
  private readonly profiles: Profiles;

  constructor(queries: QueryBus, profiles: Profiles) {
    this.queries = queries;
    this.profiles = profiles;
  }

  @Post('v3/search')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    summary: 'Search documents',
    answer: DocumentResults,
    refuses: [400, 404],
  })
  documents(@CurrentCaller() caller: Caller, @Body() body: DocumentSearchBody, @Query() query: ExplainQuery) {
    return timed(() => this.queries.execute(searchDocuments(caller, body))).then(({ found, timing }) =>
      documentResults(accepted(found), timing, documentParts(body, query)),
    );
  }

  @Post('v4/search')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    summary: 'Search memories',
    answer: MemoryResults,
    refuses: [400],
  })
  memories(@CurrentCaller() caller: Caller, @Body() body: MemorySearchBody, @Query() query: ExplainQuery) {
    return timed(() => this.queries.execute(searchMemories(caller, body))).then(({ found, timing }) =>
      memoryResults(found, timing, memoryParts(body, query)),
    );
  }

  @Post('v4/profile')
  @HttpCode(200)
  @Requires('read')
  @Documented({ summary: 'Read the profile of a tag', answer: ProfileAnswer, refuses: [400] })
  profile(@CurrentCaller() caller: Caller, @Body() body: ProfileBody) {
    return this.profiles.read(caller, body).then(({ profile, search }) => profileAnswer(profile, search));
  }
}
