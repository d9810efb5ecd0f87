import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AddDocumentHandler } from './documents/add-document.handler.ts';
import { DeleteDocumentHandler } from './documents/delete-document.handler.ts';
import {
  CurrentViews,
  DocumentContents,
  GetDocumentEventsHandler,
  GetDocumentHandler,
  ListDocumentsHandler,
  ListProcessingHandler,
} from './documents/queries.handler.ts';
import { RetryDocumentHandler } from './documents/retry-document.handler.ts';
import { GetProfileHandler } from './search/get-profile.handler.ts';
import { Questions } from './search/questions.ts';
import { SearchDocumentsHandler } from './search/search-documents.handler.ts';
import { SearchMemoriesHandler } from './search/search-memories.handler.ts';

/** Every use case; the command and query buses are wiring, the event log is the truth. */
@Module({})
export class ApplicationModule {
  /** @param adapters the module that provides what stands in `ports.ts`, DocumentRepository, DocumentTexts and Erasure */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: ApplicationModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        AddDocumentHandler,
        DeleteDocumentHandler,
        RetryDocumentHandler,
        GetDocumentHandler,
        GetDocumentEventsHandler,
        ListDocumentsHandler,
        ListProcessingHandler,
        SearchDocumentsHandler,
        SearchMemoriesHandler,
        GetProfileHandler,
        CurrentViews,
        DocumentContents,
        Questions,
      ],
      exports: [CqrsModule],
    };
  }
}
