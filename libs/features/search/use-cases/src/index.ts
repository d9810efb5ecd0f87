export { GetProfile, type Profile, type ProfileSection } from './get-profile/get-profile.query.ts';
export { SearchModule } from './search.module.ts';
export {
  type DocumentResult,
  SearchDocuments,
} from './search-documents/search-documents.query.ts';
export {
  type FoundChunk,
  type MemoryResult,
  NO_EXTRAS,
  SearchMemories,
  type SearchMode,
} from './search-memories/search-memories.query.ts';
export type { Explanation, Found, Rewriting } from './search-options.ts';
