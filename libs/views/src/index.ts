export {
  EngineRefusalError,
  FencedError,
  ViewsMissingError,
  ViewsShapeError,
  ViewsUnreachableError,
} from './adapters/opensearch/errors.ts';
export {
  inspectOpenSearchViews,
  type OpenSearchReader,
  type OpenSearchReaderOptions,
  type OpenSearchWriter,
  type OpenSearchWriterOptions,
  openOpenSearchReader,
  openOpenSearchWriter,
  rebuildPrefix,
  removeLeftRebuilds,
  removeOpenSearchViews,
  replaceOpenSearchViews,
} from './adapters/opensearch/open.ts';
export { ViewsDamagedError } from './adapters/sqlite/damage.ts';
export { filterToSql, type Sql } from './adapters/sqlite/filters.ts';
export { SqliteViewsReader, type SqliteViewsReaderOptions } from './adapters/sqlite/reader.ts';
export { type Opened, removeViews } from './adapters/sqlite/schema.ts';
export { SqliteViewsWriter, type SqliteViewsWriterOptions } from './adapters/sqlite/writer.ts';
export { CurrentViews } from './current-views.ts';
export {
  type DocumentChange,
  type DocumentListQuery,
  type DocumentQuery,
  type DocumentRow,
  type IndexedUnitVectors,
  type ProcessingError,
  type QuestionVector,
  type RejectedRow,
  RowRejectedError,
  STAGES,
  type Stage,
  type UnfinishedDocument,
  type Unit,
  type UnitHit,
  type UnitKind,
  type UnitSearchQuery,
  type UnitSet,
  VIEWS_READER,
  type ViewsProgress,
  type ViewsReader,
  type ViewsWriter,
} from './port.ts';
export { RecentDeletions, withoutDeleted } from './recent-deletions.ts';
export { isInScope, isWanted } from './wanted.ts';
