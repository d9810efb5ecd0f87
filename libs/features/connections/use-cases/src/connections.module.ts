import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AnswerChoicesHandler } from './answer-choices/answer-choices.handler.ts';
import { AnswerPermissionHandler } from './answer-permission/answer-permission.handler.ts';
import { ArriveConnectionHandler } from './arrive-connection/arrive-connection.handler.ts';
import { Choices } from './choices.ts';
import { ConfigureConnectionHandler } from './configure-connection/configure-connection.handler.ts';
import { ConfirmRemovalHandler } from './confirm-removal/confirm-removal.handler.ts';
import { Connections } from './connections.ts';
import { CreateConnectionHandler } from './create-connection/create-connection.handler.ts';
import { DeleteConnectionHandler } from './delete-connection/delete-connection.handler.ts';
import { DeleteConnectionsHandler } from './delete-connections/delete-connections.handler.ts';
import { Departures } from './departures.ts';
import { GetConnectionHandler } from './get-connection/get-connection.handler.ts';
import { ListChoicesHandler } from './list-choices/list-choices.handler.ts';
import { ListConnectionDocumentsHandler } from './list-connection-documents/list-connection-documents.handler.ts';
import { ListConnectionsHandler } from './list-connections/list-connections.handler.ts';
import { ListItemsHandler } from './list-items/list-items.handler.ts';
import { ListResourcesHandler } from './list-resources/list-resources.handler.ts';
import { NewConnections } from './new-connections.ts';
import { OpenPickerHandler } from './open-picker/open-picker.handler.ts';
import { PickedConnections } from './picked-connections.ts';
import { Providers } from './providers.ts';
import { ReadPermissionHandler } from './read-permission/read-permission.handler.ts';
import { RequestSyncHandler } from './request-sync/request-sync.handler.ts';
import { RequestSyncsHandler } from './request-syncs/request-syncs.handler.ts';
import { TakeNotificationHandler } from './take-notification/take-notification.handler.ts';

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
        Choices,
        Departures,
        NewConnections,
        PickedConnections,
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
        AnswerChoicesHandler,
        AnswerPermissionHandler,
        ArriveConnectionHandler,
        ConfigureConnectionHandler,
        ListChoicesHandler,
        ListResourcesHandler,
        OpenPickerHandler,
        ReadPermissionHandler,
        TakeNotificationHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
