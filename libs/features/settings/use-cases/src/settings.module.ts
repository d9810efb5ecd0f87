import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeSettingsHandler } from './change-settings/change-settings.handler.ts';
import { GetSettingsHandler } from './get-settings/get-settings.handler.ts';
import { ResetSettingsHandler } from './reset-settings/reset-settings.handler.ts';
import { SuggestBucketsHandler } from './suggest-buckets/suggest-buckets.handler.ts';

/** The use cases of settings. */
@Module({})
export class SettingsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: SettingsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [GetSettingsHandler, ChangeSettingsHandler, ResetSettingsHandler, SuggestBucketsHandler],
      exports: [CqrsModule],
    };
  }
}
