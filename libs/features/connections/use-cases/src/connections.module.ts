import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ConfirmRemovalHandler } from './confirm-removal/confirm-removal.handler.ts';
import { Connections } from './connections.ts';
import { CreateConnectionHandler } from './create-connection/create-connection.handler.ts';
import { DeleteConnectionHandler } from './delete-connection/delete-connection.handler.ts';
import { DeleteConnectionsHandler } from './delete-connections/delete-connections.handler.ts';
import { GetConnectionHandler } from './get-connection/get-connection.handler.ts';
import { ListConnectionDocumentsHandler } from './list-connection-documents/list-connection-documents.handler.ts';
import { ListConnectionsHandler } from './list-connections/list-connections.handler.ts';
import { ListItemsHandler } from './list-items/list-items.handler.ts';
import { Providers } from './providers.ts';
import { RequestSyncHandler } from './request-sync/request-sync.handler.ts';
import { RequestSyncsHandler } from './request-syncs/request-syncs.handler.ts';

/** The use cases of connections to sources. */
@Module({})
export class ConnectionsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: ConnectionsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        Connections,
        Providers,
        CreateConnectionHandler,
        ListConnectionsHandler,
        GetConnectionHandler,
        DeleteConnectionHandler,
        DeleteConnectionsHandler,
        RequestSyncHandler,
        RequestSyncsHandler,
        ConfirmRemovalHandler,
        ListConnectionDocumentsHandler,
        ListItemsHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
