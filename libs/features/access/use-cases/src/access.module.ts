import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeKeyHandler } from './change-key/change-key.handler.ts';
import { ChangeOrganizationHandler } from './change-organization/change-organization.handler.ts';
import { CreateOrganizationHandler } from './create-organization/create-organization.handler.ts';
import { DeleteOrganizationHandler } from './delete-organization/delete-organization.handler.ts';
import { IssueKeyHandler } from './issue-key/issue-key.handler.ts';
import { ListKeysHandler } from './list-keys/list-keys.handler.ts';
import { ListOrganizationsHandler } from './list-organizations/list-organizations.handler.ts';
import { RevokeKeyHandler } from './revoke-key/revoke-key.handler.ts';

/** The use cases of keys and organizations. */
@Module({})
export class AccessModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: AccessModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        ...[IssueKeyHandler, ListKeysHandler, ChangeKeyHandler, RevokeKeyHandler],
        ...[CreateOrganizationHandler, ListOrganizationsHandler],
        ...[ChangeOrganizationHandler, DeleteOrganizationHandler],
      ],
      exports: [CqrsModule],
    };
  }
}
