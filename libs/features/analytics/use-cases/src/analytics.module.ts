import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ListRequestsHandler } from './list-requests/list-requests.handler.ts';
import { ReadErrorsHandler } from './read-errors/read-errors.handler.ts';
import { ReadTotalsHandler } from './read-totals/read-totals.handler.ts';
import { ReadUsageHandler } from './read-usage/read-usage.handler.ts';

/** The use cases of figures of requests. */
@Module({})
export class AnalyticsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: AnalyticsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [ReadUsageHandler, ReadErrorsHandler, ListRequestsHandler, ReadTotalsHandler],
      exports: [CqrsModule],
    };
  }
}
