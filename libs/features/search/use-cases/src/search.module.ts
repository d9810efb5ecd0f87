import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GetContextHandler } from './get-context/get-context.handler.ts';
import { GetProfileHandler } from './get-profile/get-profile.handler.ts';
import { ProfileMemories } from './get-profile/profile-memories.ts';
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
      providers: [
        ...[SearchDocumentsHandler, SearchMemoriesHandler, GetProfileHandler, GetContextHandler],
        ...[SearchPipeline, ProfileMemories, Profiles],
      ],
      exports: [CqrsModule, Profiles],
    };
  }
}
