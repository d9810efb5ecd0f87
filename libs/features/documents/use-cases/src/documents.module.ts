import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { IdempotencyKeys } from '#features/documents/requests';
import { AddDocumentHandler } from './add-document/add-document.handler.ts';
import { DraftedAdds } from './add-document/drafted-adds.ts';
import { RecentAdds } from './add-document/recent-adds.ts';
import { SaidAgain } from './add-document/said-again.ts';
import { StoredContents } from './add-document/stored-contents.ts';
import { AddDocumentsHandler } from './add-documents/add-documents.handler.ts';
import { CountDocumentsHandler } from './count-documents/count-documents.handler.ts';
import { DeleteDocumentHandler } from './delete-document/delete-document.handler.ts';
import { DeleteDocumentsHandler } from './delete-documents/delete-documents.handler.ts';
import { DocumentMemories } from './document-memories.ts';
import { GetConversationHandler } from './get-conversation/get-conversation.handler.ts';
import { GetDocumentHandler } from './get-document/get-document.handler.ts';
import { GetDocumentChunksHandler } from './get-document-chunks/get-document-chunks.handler.ts';
import { GetDocumentEventsHandler } from './get-document-events/get-document-events.handler.ts';
import { GetDocumentsWithMemoriesHandler } from './get-documents-with-memories/get-documents-with-memories.handler.ts';
import { GetFileLinkHandler } from './get-file-link/get-file-link.handler.ts';
import { JointRecorder } from './joint-recorder.ts';
import { ListDocumentsHandler } from './list-documents/list-documents.handler.ts';
import { ListDocumentsWithMemoriesHandler } from './list-documents-with-memories/list-documents-with-memories.handler.ts';
import { ListProcessingHandler } from './list-processing/list-processing.handler.ts';
import { OpenFileHandler } from './open-file/open-file.handler.ts';
import { RetryDocumentHandler } from './retry-document/retry-document.handler.ts';
import { SaveConversationHandler } from './save-conversation/save-conversation.handler.ts';
import { UpdateDocumentHandler } from './update-document/update-document.handler.ts';

/** The use cases of documents; the command and query buses are wiring, the event log is the truth. */
@Module({})
export class DocumentsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: DocumentsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        AddDocumentHandler,
        AddDocumentsHandler,
        StoredContents,
        SaidAgain,
        DraftedAdds,
        SaveConversationHandler,
        GetConversationHandler,
        IdempotencyKeys,
        JointRecorder,
        RecentAdds,
        DeleteDocumentHandler,
        DeleteDocumentsHandler,
        RetryDocumentHandler,
        UpdateDocumentHandler,
        GetDocumentHandler,
        GetDocumentEventsHandler,
        ListDocumentsHandler,
        ListProcessingHandler,
        CountDocumentsHandler,
        GetDocumentChunksHandler,
        GetDocumentsWithMemoriesHandler,
        GetFileLinkHandler,
        ListDocumentsWithMemoriesHandler,
        OpenFileHandler,
        DocumentMemories,
      ],
      exports: [CqrsModule],
    };
  }
}
