export { ViewsMissingError } from './adapters/opensearch/errors.ts';
export {
  inspectOpenSearchViews,
  type OpenSearchReader,
  type OpenSearchWriter,
  openOpenSearchReader,
  openOpenSearchWriter,
  purgeOpenSearchViews,
  rebuildPrefix,
  removeLeftRebuilds,
  removeOpenSearchViews,
  removeReplacedViews,
  replaceOpenSearchViews,
  type UnitFile,
  type ViewsState,
  writeUnitFile,
} from './adapters/opensearch/open.ts';
export { writeEntryFile } from './adapters/sqlite/entry-file.ts';
export { SqliteViewsReader } from './adapters/sqlite/reader.ts';
export { removeViews, replaceViews } from './adapters/sqlite/schema.ts';
export { SqliteViewsWriter } from './adapters/sqlite/writer.ts';
export { CurrentViews } from './current-views.ts';
export {
  type Cuts,
  DOCUMENT_TYPES,
  type DocumentChange,
  type DocumentRow,
  type IndexedUnitVectors,
  type LeftUnit,
  type NamedPiece,
  type Piece,
  type RowMemory,
  STAGES,
  type Stage,
  type Unit,
  type UnitKind,
  type UnitSet,
} from './documents.ts';
export { type RejectedRow, RowRejectedError } from './errors.ts';
export { documentOf, membersOf } from './members.ts';
export { leftOutOf, shownUnits } from './pieces.ts';
export { READER_METHODS, VIEWS_LEASE, VIEWS_READER, type ViewsProgress, type ViewsReader } from './port.ts';
export type {
  DocumentListQuery,
  DocumentQuery,
  MemoryListQuery,
  NewestMemoriesQuery,
  QuestionVector,
  UnfinishedDocument,
  UnitHit,
  UnitSearchQuery,
} from './queries.ts';
export { RecentDeletions, withoutDeleted } from './recent-deletions.ts';
export { compareMembers, repeatsOf } from './repeats.ts';
export type { BuildingModel, LeftOutRows, RowQuery, RowsChange, RowTable, RowValues, StreamRow } from './rows.ts';
export { foldedText, foldedTextOf, statementOf, textHash } from './statements.ts';
export { untilShown } from './until-shown.ts';
export { dateOf, NEVER } from './validity.ts';
export { isInScope, isWanted, rankedScope, scopeThen } from './wanted.ts';
export type { ViewsChange, ViewsWriter } from './writer-port.ts';
