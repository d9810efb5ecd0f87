export { CHUNK_TOKENS, chunk } from './chunk.ts';
export { decodeText } from './decode.ts';
export { detectKind, type Upload } from './detect.ts';
export { extract, extractDocument } from './extract.ts';
export {
  type ExtractionAnswer,
  type ExtractionTask,
  extractionKind,
  type TextEncoding,
  type WrittenList,
  type WrittenLists,
  type WrittenText,
} from './extraction-kind.ts';
export { formMemories, MEMORY_TOKENS } from './memories.ts';
export {
  type ExtractedDocument,
  ExtractionError,
  type Passage,
  type Source,
} from './port.ts';
export { estimateTokens } from './tokens.ts';
export { identitiesOf, newUnitKey, unitIdsWith } from './unit-id.ts';
export { isUrl } from './url.ts';
export { documentHeader, wideText } from './wide.ts';
