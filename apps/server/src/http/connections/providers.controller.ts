import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ConnectionTagsInput,
  CreateConnectionInput,
  choiceByTags,
  choiceOf,
  createConnection,
  ListConnectionDocuments,
  ListConnections,
  RequestSyncs,
} from '#features/connections/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { type StatusWords, Words } from '../documents/status-words.ts';
import { refusalError, valueOrThrow } from '../errors/refusals.ts';
import { Documented, listOf } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  ConnectionDocument,
  ConnectionRecord,
  CreatedConnection,
  connectionDocument,
  connectionRecord,
  createdConnection,
} from './connections.responses.ts';

const PATH = { id: { description: 'Name of the provider, such as `web-crawler`.', example: 'web-crawler' } };

@Controller('v3/connections/:id')
@InSection('Sources')
export class ProvidersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @Requires('full-write')
  @Documented({
    id: 'createConnection',
    summary: 'Connect a source',
    description:
      'Its items become documents and stay in step with it. Everyone who may read the tags reads what is synced. For a provider that a person has to permit it at, nothing is connected before ' +
      'the person has gone to `authLink` and has agreed. 501 for a ' +
      'provider that is not set up here. A source on the machine of the server needs a key of the role admin or owner.',
    path: PATH,
    answer: CreatedConnection,
    links: { getConnection: { id: 'id' }, listSyncRuns: { id: 'id' }, listConnectionItems: { id: 'id' } },
    refuses: [],
  })
  create(@CurrentPrincipal() principal: Principal, @Param('id') provider: string, @Body() body: CreateConnectionInput) {
    return this.commands
      .execute(createConnection(principal, provider, body))
      .then((created) => createdConnection(valueOrThrow(created)));
  }

  @Post('connection')
  @HttpCode(200)
  @Requires('full')
  @Documented({
    id: 'findConnection',
    summary: 'Find a connection by its tags',
    description: 'The newest one of the provider whose documents have one of the tags.',
    path: PATH,
    answer: ConnectionRecord,
    refuses: [404],
  })
  async find(
    @CurrentPrincipal() principal: Principal,
    @Param('id') provider: string,
    @Body() tagged: ConnectionTagsInput,
  ): Promise<ConnectionRecord> {
    const [newest] = await this.queries.execute(new ListConnections(principal, choiceByTags(provider, tagged)));
    if (newest === undefined) throw refusalError('connection_not_found');
    return connectionRecord(newest);
  }

  @Post('import')
  @HttpCode(202)
  @Requires('full-write')
  @Documented({
    id: 'syncConnections',
    summary: 'Sync connections now',
    description:
      'Lists the whole sources, and tries again what could not be read. A client that accepts JSON only is answered `{message, provider}`. 400 if the provider has no such connection.',
    path: PATH,
    answer: { mediaType: 'text/plain', description: 'That the syncs begin.' },
    status: 202,
    refuses: [],
  })
  async sync(
    @CurrentPrincipal() principal: Principal,
    @Param('id') provider: string,
    @Body() tagged: ConnectionTagsInput,
    @Req() { headers: { accept } }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const choice = { ...choiceOf(provider, tagged), provider };
    const requested = valueOrThrow(await this.commands.execute(new RequestSyncs(principal, choice)));
    const message = `Sync of ${requested} ${requested === 1 ? 'connection' : 'connections'} begins`;
    const wantsJson = accept?.split(',').every((one) => one.trim().startsWith('application/json')) ?? false;
    reply.type(wantsJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8');
    return wantsJson ? JSON.stringify({ message, provider }) : message;
  }

  @Post('documents')
  @HttpCode(200)
  @Requires('full')
  @Documented({
    id: 'listConnectionDocuments',
    summary: 'List the documents of connections',
    description: 'At most 1,000; those that were synced last come first.',
    path: PATH,
    answer: listOf(ConnectionDocument),
    refuses: [404],
  })
  documents(
    @CurrentPrincipal() principal: Principal,
    @Param('id') provider: string,
    @Body() tagged: ConnectionTagsInput,
    @Words() words: StatusWords,
  ) {
    return this.queries
      .execute(new ListConnectionDocuments(principal, choiceOf(provider, tagged)))
      .then((found) => valueOrThrow(found).map((row) => connectionDocument(row, words)));
  }
}
