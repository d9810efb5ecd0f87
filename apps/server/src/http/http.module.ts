import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { AccountController } from './account/account.controller.ts';
import { MembershipsOf } from './account/memberships.ts';
import { AnalyticsController } from './analytics/analytics.controller.ts';
import { AuditController } from './audit/audit.controller.ts';
import { ConnectController } from './connect/connect.controller.ts';
import { PermittedSourcesController } from './connect/permitted-sources.controller.ts';
import { ConnectionsController } from './connections/connections.controller.ts';
import { ProvidersController } from './connections/providers.controller.ts';
import { ContainerTagsController } from './container-tags/container-tags.controller.ts';
import { TagMergesController } from './container-tags/tag-merges.controller.ts';
import { ConversationsController } from './conversations/conversations.controller.ts';
import { BatchController } from './documents/batch.controller.ts';
import { BulkDeletionController } from './documents/bulk-deletion.controller.ts';
import { DocumentGraphController } from './documents/document-graph.controller.ts';
import { DocumentPartsController } from './documents/document-parts.controller.ts';
import { DocumentsController } from './documents/documents.controller.ts';
import { UpdateDocumentController } from './documents/update-document.controller.ts';
import { Uploads } from './documents/uploads.ts';
import { EventStreams } from './events/event-streams.ts';
import { EventsController } from './events/events.controller.ts';
import { FilesController } from './files/files.controller.ts';
import { KeysController } from './keys/keys.controller.ts';
import { McpController } from './mcp/mcp.controller.ts';
import { ProtectedResourceController } from './mcp/protected-resource.controller.ts';
import { UploadController } from './mcp/upload.controller.ts';
import { MemoriesController } from './memories/memories.controller.ts';
import { MetaController } from './meta/meta.controller.ts';
import { AuthorizationController } from './oauth/authorization.controller.ts';
import { ServerMetadataController } from './oauth/server-metadata.controller.ts';
import { TokensController } from './oauth/tokens.controller.ts';
import { ApiDocs } from './openapi/api-docs.ts';
import { OpenApiController } from './openapi/openapi.controller.ts';
import { HTTP_OPTIONS, type HttpOptions } from './options.ts';
import { OrganizationsController } from './organizations/organizations.controller.ts';
import { ProjectsController } from './projects/projects.controller.ts';
import { SearchController } from './search/search.controller.ts';
import { BrowserSession } from './sessions/browser-session.ts';
import { OidcController } from './sessions/oidc.controller.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { SettingsController } from './settings/settings.controller.ts';
import { InvitationsController } from './team/invitations.controller.ts';
import { MembersController } from './team/members.controller.ts';

/** The HTTP edge; buses, api keys, event feed and health come from the imports. */
@Module({
  controllers: [
    MetaController,
    AccountController,
    KeysController,
    SessionsController,
    OidcController,
    MembersController,
    InvitationsController,
    AuditController,
    OrganizationsController,
    BulkDeletionController,
    BatchController,
    ConversationsController,
    MemoriesController,
    DocumentsController,
    UpdateDocumentController,
    TagMergesController,
    ContainerTagsController,
    ProjectsController,
    DocumentGraphController,
    DocumentPartsController,
    FilesController,
    SearchController,
    ConnectController,
    PermittedSourcesController,
    ConnectionsController,
    ProvidersController,
    SettingsController,
    AnalyticsController,
    EventsController,
    McpController,
    ProtectedResourceController,
    UploadController,
    AuthorizationController,
    TokensController,
    ServerMetadataController,
    OpenApiController,
  ],
  providers: [Uploads, EventStreams, ApiDocs, BrowserSession, MembershipsOf],
})
export class HttpModule {
  static using({
    options,
    imports,
  }: {
    readonly options: HttpOptions;
    readonly imports: NonNullable<ModuleMetadata['imports']>;
  }): DynamicModule {
    return { module: HttpModule, imports, providers: [{ provide: HTTP_OPTIONS, useValue: options }] };
  }
}
