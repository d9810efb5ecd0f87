import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  CountDocumentsInput,
  countDocuments,
  GetDocumentsWithMemoriesInput,
  getWithMemories,
  ListDocumentsWithMemoriesInput,
  listWithMemories,
  graphPage as pageOf,
} from '#features/documents/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { Facets, facets, GraphPage, graphPage } from './document-graph.responses.ts';
import { type StatusWords, Words } from './status-words.ts';

/** Documents with their memories, as views of the memory graph draw them. */
@Controller('v3/documents/documents')
@InSection('Documents')
export class DocumentGraphController {
  constructor(private readonly queries: QueryBus) {}

  @Post()
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'listDocumentsWithMemories',
    summary: 'List documents with their memories',
    description: 'Pages of documents, each with its memories, as a memory graph draws them.',
    answer: GraphPage,
    refuses: [],
  })
  list(
    @CurrentPrincipal() principal: Principal,
    @Body() body: ListDocumentsWithMemoriesInput,
    @Words() words: StatusWords,
  ) {
    return this.queries
      .execute(listWithMemories(principal, body))
      .then(({ documents, total }) => graphPage(documents, pageOf(body), total, words));
  }

  @Post('by-ids')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'getDocumentsWithMemories',
    summary: 'Read documents with their memories',
    description: 'In the order of their ids or customIds. Unknown ones are left out.',
    answer: GraphPage,
    refuses: [],
  })
  byIds(
    @CurrentPrincipal() principal: Principal,
    @Body() body: GetDocumentsWithMemoriesInput,
    @Words() words: StatusWords,
  ) {
    return this.queries
      .execute(getWithMemories(principal, body))
      .then((documents) => graphPage(documents, { page: 1, limit: body.ids.length }, documents.length, words));
  }

  @Post('facets')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'countDocuments',
    summary: 'Count documents by category',
    description: 'The categories are the types of the documents.',
    answer: Facets,
    refuses: [],
  })
  facets(@CurrentPrincipal() principal: Principal, @Body() body: CountDocumentsInput) {
    return this.queries.execute(countDocuments(principal, body)).then(facets);
  }
}
