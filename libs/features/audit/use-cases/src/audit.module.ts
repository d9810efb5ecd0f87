import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ListAuditHandler } from './list-audit/list-audit.handler.ts';

/** The use cases of the audit. */
@Module({})
export class AuditModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: AuditModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [ListAuditHandler],
      exports: [CqrsModule],
    };
  }
}
