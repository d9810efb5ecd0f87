export { decideExpired } from './decide.ts';
export { haveSameDetails, isTooLarge, type MemoryDetails } from './details.ts';
export type {
  MemoryEvent,
  MemoryForgotten,
  MemoryRecorded,
  MemoryRestored,
  MemoryRevised,
  PassageTouched,
  SentencesRestored,
  VersionPayload,
} from './events.ts';
export {
  cutSentences,
  type DocumentPassage,
  evolve as evolveMemory,
  expiresAt,
  inactiveFrom,
  isActive,
  isForgotten,
  isInDocument,
  latestVersion,
  type Memory,
  type MemoryVersion,
  memoryOfPassage,
  withPassage,
} from './memory.ts';
export { type HashedSentence, hashedSentences, sentenceHashes } from './sentences.ts';
export {
  latestView,
  type VersionInDocument,
  type VersionView,
  versionsInDocument,
  versionViews,
  viewOfPassage,
} from './version-view.ts';
export {
  dateOfVersion,
  MEMORY_VERSIONS,
  type NumberedVersion,
  numberedVersions,
  supersededVersions,
  type ValidTime,
  validTimes,
} from './versions.ts';
