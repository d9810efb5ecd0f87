import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import {
  ByIdsBody,
  countDocuments,
  FacetsBody,
  GraphBody,
  getWithMemories,
  listWithMemories,
  graphPage as pageOf,
} from './document-graph.dto.ts';
import { Facets, facets, GraphPage, graphPage } from './document-graph.responses.ts';
import { type StatusWords, Words } from './status-words.ts';

/** Documents with their memories, as views of the memory graph draw them. */
@Controller('v3/documents/documents')
export class DocumentGraphController {
  private readonly queries: QueryBus;

  constructor(queries: QueryBus) {
    this.queries = queries;
  }

  @Post()
  @HttpCode(200)
  @Requires('read')
  @Documented({ summary: 'List documents with their memories', answer: GraphPage, refuses: [400] })
  list(@CurrentCaller() caller: Caller, @Body() body: GraphBody, @Words() words: StatusWords) {
    return this.queries
      .execute(listWithMemories(caller, body))
      .then(({ documents, total }) => graphPage(documents, pageOf(body), total, words));
  }

  @Post('by-ids')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    summary: 'Read documents with their memories, in the order of their ids or customIds; unknown ones are left out',
    answer: GraphPage,
    refuses: [400],
  })
  byIds(@CurrentCaller() caller: Caller, @Body() body: ByIdsBody, @Words() words: StatusWords) {
    return this.queries
      .execute(getWithMemories(caller, body))
      .then((documents) => graphPage(documents, { page: 1, limit: body.ids.length }, documents.length, words));
  }

  @Post('facets')
  @HttpCode(200)
  @Requires('read')
  @Documented({ summary: 'Count documents by category', answer: Facets, refuses: [400] })
  facets(@CurrentCaller() caller: Caller, @Body() body: FacetsBody) {
    return this.queries.execute(countDocuments(caller, body)).then(facets);
  }
}
