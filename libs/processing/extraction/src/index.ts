export { endsBefore } from './boundaries.ts';
export { CHUNK_TOKENS, chunk } from './chunk.ts';
export { callNote, imageNote } from './conversations/notes.ts';
export { detectKind, type Upload } from './detect.ts';
export { extract, extractDocument } from './extract.ts';
export {
  type ExtractionAnswer,
  type ExtractionTask,
  extractionKind,
  type PictureReport,
  type TextEncoding,
  type WrittenList,
  type WrittenLists,
  type WrittenText,
} from './extraction-kind.ts';
export { type LongWork, limitsOf, longWorkOf } from './extractors/registry.ts';
export {
  CRASHED,
  ExtractionError,
  MISSING_CODES,
  MissingResourceError,
  missingIn,
  timeoutMessage,
  tooLargeMessage,
  UNREADABLE_CODES,
} from './failures.ts';
export { formMemories, MEMORY_TOKENS, sentencesOf } from './memories.ts';
export { partsOf } from './parts.ts';
export type { ExtractedContent, ExtractedDocument, Passage, Source } from './port.ts';
export {
  type ExtractionResources,
  type MachineResources,
  NO_RESOURCES,
  type SpokenPart,
  weightFiles,
} from './resources.ts';
export { type Said, saidIn } from './said.ts';
export { endsWithSentence } from './sentences.ts';
export { type SitePage, sitePageOf } from './sites/registry.ts';
export { type Passages, splitText } from './split-text.ts';
export { estimateTokens } from './tokens.ts';
export { isAssistant } from './turns.ts';
export { identitiesOf, newUnitKey, unitIdsWith } from './unit-id.ts';
export { isUrl } from './url.ts';
export { EXTRACTION_VERSION } from './version.ts';
export { isWebPage } from './web-text.ts';
export { documentHeader, wideText } from './wide.ts';
