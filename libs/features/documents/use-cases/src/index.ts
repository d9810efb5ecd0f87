export type { AcceptedContent, AcceptedDocument } from './accepted-document.ts';
export {
  AddDocument,
  type AddRefusal,
  type NewDocument,
  type UploadedFile,
} from './add-document/add-document.command.ts';
export { BACKLOG, STORAGE_GUARD } from './add-document/ports.ts';
export { writtenTags } from './add-document/tags.ts';
export {
  AddDocuments,
  type AddedItem,
  type NewText,
} from './add-documents/add-documents.command.ts';
export { CountDocuments } from './count-documents/count-documents.query.ts';
export { DeleteDocument } from './delete-document/delete-document.command.ts';
export { DeleteDocuments } from './delete-documents/delete-documents.command.ts';
export type { DocumentWithMemories } from './document-memories.ts';
export type { DocumentDetails, ListedView, LongDocument } from './document-view.ts';
export { DocumentsModule } from './documents.module.ts';
export { ForgetMemories, type ForgottenBatch } from './forget-memories/forget-memories.command.ts';
export { ForgetMemory, type ForgetRefusal } from './forget-memory/forget-memory.command.ts';
export { GetDocument } from './get-document/get-document.query.ts';
export {
  type DocumentChunks,
  GetDocumentChunks,
  type LongDocumentChunks,
} from './get-document-chunks/get-document-chunks.query.ts';
export { GetDocumentEvents } from './get-document-events/get-document-events.query.ts';
export { GetDocumentsWithMemories } from './get-documents-with-memories/get-documents-with-memories.query.ts';
export { type FileRefusal, GetFileLink } from './get-file-link/get-file-link.query.ts';
export { GetMemoryEvents } from './get-memory-events/get-memory-events.query.ts';
export { ListDocuments } from './list-documents/list-documents.query.ts';
export { ListDocumentsWithMemories } from './list-documents-with-memories/list-documents-with-memories.query.ts';
export { type ListedMemory, ListMemories } from './list-memories/list-memories.query.ts';
export { ListPastDocuments } from './list-past-documents/list-past-documents.query.ts';
export { ListPastMemories } from './list-past-memories/list-past-memories.query.ts';
export { ListProcessing } from './list-processing/list-processing.query.ts';
export type { VersionInDocument, VersionView } from './memories/memory-view.ts';
export type { MemoryName } from './memories/named-memory.ts';
export { ShownMemories } from './memories/shown-memories.ts';
export { type OpenedFile, OpenFile } from './open-file/open-file.query.ts';
export { type NewMemory, RecordMemories, type RecordRefusal } from './record-memories/record-memories.command.ts';
export { RestoreMemories } from './restore-memories/restore-memories.command.ts';
export { RetryDocument, type RetryRefusal } from './retry-document/retry-document.command.ts';
export { ReviseMemory, type ReviseRefusal } from './revise-memory/revise-memory.command.ts';
export { SaveConversation } from './save-conversation/save-conversation.command.ts';
export { UpdateDocument, type UpdateRefusal } from './update-document/update-document.command.ts';
