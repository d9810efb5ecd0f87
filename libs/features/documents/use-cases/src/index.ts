export {
  AddDocument,
  type AddRefusal,
  type NewDocument,
  type UploadedFile,
} from './add-document/add-document.command.ts';
export { AddDocumentInput, addDocument, addFile, UploadInput } from './add-document/add-document.input.ts';
export { writtenTags } from './add-document/tags.ts';
export { AddDocuments, type AddedItem } from './add-documents/add-documents.command.ts';
export {
  AddDocumentsInput,
  addDocuments,
  type BatchDocument,
  type BatchItem,
  batchItems,
} from './add-documents/add-documents.input.ts';
export type { Attempt } from './attempt.ts';
export { CountDocumentsInput, countDocuments } from './count-documents/count-documents.input.ts';
export { CountDocuments } from './count-documents/count-documents.query.ts';
export { DeleteDocument } from './delete-document/delete-document.command.ts';
export { DeleteDocuments } from './delete-documents/delete-documents.command.ts';
export { DeleteDocumentsInput, deleteDocuments } from './delete-documents/delete-documents.input.ts';
export { DocumentCommands } from './document-commands.ts';
export type { DocumentWithMemories } from './document-memories.ts';
export type { DocumentDetails, ListedView, LongDocument } from './document-view.ts';
export { DocumentsModule } from './documents.module.ts';
export { GetConversation, type StoredConversation } from './get-conversation/get-conversation.query.ts';
export { GetDocumentInput } from './get-document/get-document.input.ts';
export { GetDocument } from './get-document/get-document.query.ts';
export {
  type DocumentChunks,
  GetDocumentChunks,
  type LongDocumentChunks,
} from './get-document-chunks/get-document-chunks.query.ts';
export { GetDocumentEvents } from './get-document-events/get-document-events.query.ts';
export {
  GetDocumentsWithMemoriesInput,
  getWithMemories,
} from './get-documents-with-memories/get-documents-with-memories.input.ts';
export { GetDocumentsWithMemories } from './get-documents-with-memories/get-documents-with-memories.query.ts';
export { type FileRefusal, GetFileLink } from './get-file-link/get-file-link.query.ts';
export { ListDocumentsInput, listDocuments, pageOf } from './list-documents/list-documents.input.ts';
export { ListDocuments } from './list-documents/list-documents.query.ts';
export {
  graphPage,
  ListDocumentsWithMemoriesInput,
  listWithMemories,
} from './list-documents-with-memories/list-documents-with-memories.input.ts';
export { ListDocumentsWithMemories } from './list-documents-with-memories/list-documents-with-memories.query.ts';
export { ListProcessingInput, listProcessing } from './list-processing/list-processing.input.ts';
export { ListProcessing } from './list-processing/list-processing.query.ts';
export { type OpenedFile, OpenFile } from './open-file/open-file.query.ts';
export { PickedTagInput, pickedTags } from './picked-tag.input.ts';
export { RetryDocument, type RetryRefusal } from './retry-document/retry-document.command.ts';
export { SaveConversation } from './save-conversation/save-conversation.command.ts';
export { SaveConversationInput, saveConversation } from './save-conversation/save-conversation.input.ts';
export { UpdateDocument, type UpdateRefusal } from './update-document/update-document.command.ts';
export { UpdateDocumentInput, updateDocument } from './update-document/update-document.input.ts';
