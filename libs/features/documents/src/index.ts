export { blobsNamed, blobsOf } from './blob-references.ts';
export {
  BulkDeletions,
  type DeletionTotals,
  type Selection,
} from './bulk-deletion/bulk-deletions.ts';
export { DeletionLog, type LoggedDeletion } from './bulk-deletion/deletion-log.ts';
export { BULK_DELETION_EVENTS, OPEN_DELETIONS_EVENTS } from './bulk-deletion/events.ts';
export type { OpenDeletion, RunningDeletion } from './bulk-deletion/evolve.ts';
export { deletedBy, inspectDeletions } from './bulk-deletion/inspect-deletions.ts';
export { DOCUMENT_EVENTS, isOpening, NEW_VERSIONS, OPENINGS, opensMemory } from './catalogue.ts';
export {
  type AnsweredItem,
  CLAIM_EVENTS,
  type Claimed,
  decideAnswer,
} from './claims/claim.ts';
export { claimChange } from './claims/claim-repository.ts';
export type { FindNamed, NameInTags } from './claims/custom-ids.ts';
export { ContentLosses, type ContentLossSuspension } from './content-loss/content-losses.ts';
export { CONTENT_LOSS_EVENTS } from './content-loss/events.ts';
export { isLossEvent, lossFailure, lossIn } from './content-loss/loss.ts';
export { DocumentContents, fileOf, type LongContent, type RecordContent } from './contents.ts';
export { compareMessages, continueMessages, type KnownMessages, type MessageChange } from './conversation/compare.ts';
export { decidePicturesRead } from './conversation/decide.ts';
export { imageOf } from './conversation/message.ts';
export {
  ConversationPictures,
  PICTURE_BYTES,
  picturesIn,
  SENT_PICTURES,
  type ShownPictures,
} from './conversation/pictures.ts';
export { changeTranscript, type Transcript, transcriptOf } from './conversation/transcript.ts';
export { decideUntagged } from './deletion/decide.ts';
export { DocumentDeletion, type SeenDocument } from './deletion/document-deletion.ts';
export { ErasureDelayedError } from './deletion/erasure-delayed.ts';
export type { AccessRefusal } from './document-change.ts';
export type {
  ChunkRef,
  ContentExtracted,
  ContentInput,
  DocumentAdded,
  DocumentEvent,
  EventTime,
  FileRef,
  MemoryRef,
  Message,
  MessagePart,
  PictureWords,
  Role,
  SentPicture,
  TextRef,
  Validators,
} from './events.ts';
export { LINK_EVENTS } from './file-links/events.ts';
export { FileLinks } from './file-links/file-links.ts';
export { UploadLinks } from './file-links/upload-links.ts';
export { firstRecordedAt } from './first-recorded-at.ts';
export { withFormerTags } from './former-tags.ts';
export { type FormerUnits, type Stay, UnitHistory } from './former-units.ts';
export { allOf, Erasure } from './garbage-collection/erasure.ts';
export type { Checkpoint, ErasureCheckpoints } from './garbage-collection/erasure-checkpoint.ts';
export {
  ERASURE_EVENTS,
  type FailingErasure,
  ORPHAN_EVENTS,
  REMOVAL_EVENTS,
  type StreamsRemoved,
} from './garbage-collection/events.ts';
export { KeptOrphans } from './garbage-collection/kept-orphans.ts';
export { Draft, type Drafted } from './joint-changes.ts';
export { decideMemoryStreams } from './memories/decide.ts';
export { loadMemories, loadMemory } from './memories/load.ts';
export { MissingBlobError } from './missing-blob.ts';
export { foldDocument } from './model.ts';
export { type KnownDocument, PastDocuments } from './past-documents.ts';
export {
  decideAbandoned,
  decideChunked,
  decideDeferred,
  decideDelayed,
  decideEmbedded,
  decideExtracted,
  decideFailure,
  decideIndexed,
  decideRestart,
  decideResupplied,
  decideStart,
  decideUnchanged,
  type FailureReason,
  indexed,
  type Outdated,
  type Pieces,
  type WaitingChanges,
} from './processing/decide.ts';
export { decideReread, type NotReread } from './processing/decide-reread.ts';
export { decideSecondSpace } from './processing/decide-second-space.ts';
export { decideSummarized } from './processing/decide-summarized.ts';
export { evolveProgress, type Progress, SUMMARIZING } from './processing/progress.ts';
export type { Summary } from './processing/summary.ts';
export {
  type KeptHead,
  KeptReadings,
  lineOf,
  type ReadingProgress,
  type ReadingSource,
} from './reading/kept-readings.ts';
export { removedFile, replaceContent } from './replace-content.ts';
export {
  type AddedState,
  DocumentRepository,
} from './repository.ts';
export { contentSize, extractedLength, textLength } from './size.ts';
export {
  awaitsReading,
  type DocumentStage,
  type DocumentState,
  type FetchRetry,
  initialState,
  isInWork,
  isMemoryDocument,
  type Live,
  type MemoryDocument,
  memoryIn,
} from './state.ts';
export {
  blobFolder,
  customIdStream,
  type DocumentName,
  documentOfVectors,
  documentStream,
  formerVectorsOf,
  idempotencyStream,
  OPEN_DELETIONS_STREAM,
  parseDocumentStream,
} from './streams.ts';
export { exceedsTagLimits, MAX_DOCUMENT_TAGS, MAX_TAG_BYTES } from './tag-limits.ts';
export { compareTexts } from './text-change/compare-texts.ts';
export { DocumentTexts, MAX_URL, refersTo } from './texts.ts';
export { identifyPassages } from './unit-ids/unit-ids.ts';
export { type UnitSource, unitBlobs, unitsAlong, unitsOf } from './units.ts';
export { compareWaiting } from './waiting-texts.ts';
