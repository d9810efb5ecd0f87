import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GetProfileHandler } from './get-profile/get-profile.handler.ts';
import { Profiles } from './get-profile/profiles.ts';
import { SearchPipeline } from './pipeline/search-pipeline.ts';
import { SearchDocumentsHandler } from './search-documents/search-documents.handler.ts';
import { SearchMemoriesHandler } from './search-memories/search-memories.handler.ts';

/** The use cases of search. */
@Module({})
export class SearchModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: SearchModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [SearchDocumentsHandler, SearchMemoriesHandler, GetProfileHandler, SearchPipeline, Profiles],
      exports: [CqrsModule, Profiles],
    };
  }
}
