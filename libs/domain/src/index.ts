export { decideFound, decideIssue, evolveKey, initialKey, type KeyState } from './access/key.ts';
export { type ClaimState, decideClaim, decideRelease, evolveClaim, initialClaim } from './claim/claim.ts';
export {
  type AddAgain,
  type ContentChange,
  compareTexts,
  decideAdd,
  decideAddAgain,
  type NewDocumentInput,
} from './document/adding.ts';
export { decideDelete } from './document/deleting.ts';
export {
  type Deleted,
  type DocumentStage,
  type DocumentState,
  evolve,
  initialState,
  type Live,
  STATE_VERSION,
} from './document/document.ts';
export type {
  ChunkRef,
  ContentInput,
  DocumentPayloads,
  FileRef,
  ListRef,
  MemoryRef,
  TaskType,
  TextRef,
} from './document/events.ts';
export {
  decideChunked,
  decideEmbedded,
  decideExtracted,
  decideFailure,
  decideIndexed,
  decideLoss,
  decideStart,
  gaveUp,
  indexed,
  MAX_ATTEMPTS,
  nextWork,
  type Outdated,
  type Pieces,
  piecesFormed,
  STAGE_OF,
  type Work,
} from './document/processing.ts';
export { decideRetry } from './document/retrying.ts';
export type { Decided, Happened } from './happened.ts';
export {
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  type VectorSpaceState,
} from './vector-space/vector-space.ts';
