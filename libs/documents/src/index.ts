export { Erasure } from './erasure.ts';
export { lossFailure, lossIn, tellsOfLoss } from './loss.ts';
export { type Cause, record, SYSTEM } from './recording.ts';
export { type Changed, type Decisions, DocumentRepository } from './repository.ts';
export { upcasters } from './schema-versions.ts';
export {
  blobFolder,
  customIdStream,
  documentStream,
  idempotencyStream,
  keyStream,
  organizationStream,
  parseDocumentStream,
} from './streams.ts';
export { DocumentTexts, MissingBlobError } from './texts.ts';
export { type EmbeddingTexts, embeddingTexts, unitsOf, vectorKey } from './units.ts';
export { VECTOR_SPACE_CATEGORY, VectorSpaces, vectorSpaceOf } from './vector-spaces.ts';
