import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ConfirmRemoval,
  ConnectionTagsInput,
  choiceByTags,
  choiceOf,
  DeleteConnection,
  DeleteConnectionInput,
  DeleteConnections,
  GetConnection,
  isConnectionId,
  ListConnections,
  ListConnectionsInput,
  ListItemsInput,
  listItems,
  RequestSync,
} from '#features/connections/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented, listOf } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  ConnectionItems,
  ConnectionRecord,
  connectionItems,
  connectionRecord,
  DeletedConnectionRecord,
  deletedConnections,
  SyncRunRecord,
  syncRuns,
} from './connections.responses.ts';

const PATH = { id: { description: 'Id of the connection.' } };

@Controller('v3/connections')
@InSection('Sources')
export class ConnectionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('list')
  @HttpCode(200)
  @Requires('full')
  @Documented({
    id: 'listConnections',
    summary: 'List connections',
    description: 'The newest first.',
    answer: listOf(ConnectionRecord),
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal, @Body() { provider, ...tagged }: ListConnectionsInput) {
    return this.queries
      .execute(new ListConnections(principal, choiceOf(provider ?? null, tagged)))
      .then((found) => found.map(connectionRecord));
  }

  @Get(':id')
  @Requires('full')
  @Documented({
    id: 'getConnection',
    summary: 'Read a connection',
    description: 'With how its last sync has ended, and how far the running one is.',
    path: PATH,
    answer: ConnectionRecord,
    refuses: [404],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.queries
      .execute(new GetConnection(principal, id))
      .then((found) => connectionRecord(valueOrThrow(found)));
  }

  @Delete(':id')
  @Requires('full-write')
  @Documented({
    id: 'deleteConnection',
    summary: 'Delete a connection, or those of a provider',
    description:
      'Its syncs stop, its permission is given back, and its secrets are destroyed. **Its documents are deleted**, unless ' +
      '`deleteDocuments` is `false`. With the name of a provider in place of an id, `containerTags` in the body say which of its ' +
      'connections are meant; their documents are deleted.',
    path: { id: { description: 'Id of the connection, or name of a provider.' } },
    answer: DeletedConnectionRecord,
    refuses: [404],
  })
  async delete(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() { deleteDocuments }: DeleteConnectionInput,
    @Body() tagged: ConnectionTagsInput,
  ): Promise<DeletedConnectionRecord> {
    if (!isConnectionId(id)) {
      const deleted = await this.commands.execute(new DeleteConnections(principal, choiceByTags(id, tagged)));
      return deletedConnections(valueOrThrow(deleted));
    }
    return valueOrThrow(await this.commands.execute(new DeleteConnection(principal, id, deleteDocuments === 'true')));
  }

  @Get(':id/sync-runs')
  @Requires('full')
  @Documented({
    id: 'listSyncRuns',
    summary: 'List the syncs of a connection',
    description: 'The running one, and the last 50 that have ended; the newest first.',
    path: PATH,
    answer: listOf(SyncRunRecord),
    refuses: [404],
  })
  syncRuns(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.queries.execute(new GetConnection(principal, id)).then((found) => syncRuns(valueOrThrow(found)));
  }

  @Get(':id/items')
  @Requires('full')
  @Documented({
    id: 'listConnectionItems',
    summary: 'List the items of a connection',
    description:
      'The items of the source that pass the filters, each with its document or the reason why there is none.',
    path: PATH,
    answer: ConnectionItems,
    refuses: [404],
  })
  items(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Query() query: ListItemsInput) {
    const asked = listItems(principal, id, query);
    return this.queries.execute(asked).then((found) => connectionItems(asked.page, valueOrThrow(found)));
  }

  @Post(':id/sync')
  @HttpCode(202)
  @Requires('full-write')
  @Documented({
    id: 'syncConnection',
    summary: 'Sync a connection now',
    description: 'Lists the whole source, and tries again what could not be read.',
    path: PATH,
    answer: ConnectionRecord,
    status: 202,
    refuses: [404],
  })
  sync(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.commands
      .execute(new RequestSync(principal, id))
      .then((requested) => connectionRecord(valueOrThrow(requested)));
  }

  @Post(':id/confirm')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'confirmRemoval',
    summary: 'Confirm that many items are removed',
    description:
      'After more than half of at least 20 items were gone at the source: a sync begins at once, which removes what is gone then. 409 if nothing waits for it.',
    path: PATH,
    answer: ConnectionRecord,
    refuses: [404, 409],
  })
  confirm(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.commands
      .execute(new ConfirmRemoval(principal, id))
      .then((confirmed) => connectionRecord(valueOrThrow(confirmed)));
  }
}
