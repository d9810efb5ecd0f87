export { GetContextInput, getContext } from './get-context/get-context.input.ts';
export { type Context, GetContext } from './get-context/get-context.query.ts';
export { GetProfileInput } from './get-profile/get-profile.input.ts';
export { GetProfile, type Profile } from './get-profile/get-profile.query.ts';
export { Profiles } from './get-profile/profiles.ts';
export { SearchModule } from './search.module.ts';
export { SearchDocumentsInput, searchDocuments } from './search-documents/search-documents.input.ts';
export {
  type DocumentResult,
  SearchDocuments,
} from './search-documents/search-documents.query.ts';
export { MemorySearchInclude, SearchMemoriesInput, searchMemories } from './search-memories/search-memories.input.ts';
export {
  type FoundChunk,
  type MemoryResult,
  NO_EXTRAS,
  SearchMemories,
} from './search-memories/search-memories.query.ts';
export type { Explanation, Rewriting, TimedResults } from './search-options.ts';
