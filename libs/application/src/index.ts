export { ApplicationModule } from './application.module.ts';
export {
  type Accepted,
  AddDocument,
  type AddRefusal,
  type NewDocument,
  type UploadedFile,
} from './documents/add-document.ts';
export { DeleteDocument } from './documents/delete-document.ts';
export {
  type DocumentListOptions,
  type DocumentView,
  GetDocument,
  GetDocumentEvents,
  ListDocuments,
  ListProcessing,
} from './documents/queries.ts';
export { RecentDeletions, withoutDeleted } from './documents/recent-deletions.ts';
export { RetryDocument, type RetryRefusal } from './documents/retry-document.ts';
export * from './ports.ts';
export {
  type Explanation,
  type FoundChunk,
  type FoundDocument,
  type FoundMemory,
  GetProfile,
  type Profile,
  type ProfileSection,
  SearchDocuments,
  SearchMemories,
  type SearchMode,
  type SearchOptions,
} from './search/queries.ts';
