import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeKeyHandler } from './change-key/change-key.handler.ts';
import { IssueKeyHandler } from './issue-key/issue-key.handler.ts';
import { ListKeysHandler } from './list-keys/list-keys.handler.ts';
import { RevokeKeyHandler } from './revoke-key/revoke-key.handler.ts';

/** The use cases of keys. */
@Module({})
export class AccessModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: AccessModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [IssueKeyHandler, ListKeysHandler, ChangeKeyHandler, RevokeKeyHandler],
      exports: [CqrsModule],
    };
  }
}
