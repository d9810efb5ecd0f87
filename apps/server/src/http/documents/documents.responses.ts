import type { AcceptedDocument, DocumentView } from '#documents/use-cases';
import { isoTime, type Metadata } from '#kernel';
import type { DocumentRow, Stage } from '#views';
import type { Count, Timestamp } from '../openapi/scalars.ts';
import type { Page } from './list-documents.dto.ts';
import { type Status, type StatusWords, statusOf } from './status-words.ts';

/** Answers about documents, in the columns of the contract (§2.1). The classes are types only; none is instantiated. */

const PROJECT_PREFIX = 'sm_project_';

export class AddedDocument {
  readonly id!: string;
  readonly status!: Status;
}

/** Columns of every record. */
class BaseRecord {
  readonly id!: string;
  readonly customId!: string | null;
  readonly status!: Status;
  readonly processingStage!: Stage;
  readonly metadata!: Metadata | null;
  readonly title!: string | null;
  readonly summary!: string | null;
  readonly type!: string;
  readonly connectionId!: string | null;
  readonly containerTags!: readonly string[];
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
}

export class ProcessingItem extends BaseRecord {}

class LocatedRecord extends BaseRecord {
  readonly containerTag!: string | null;
  readonly url!: string | null;
  readonly filepath!: string | null;
}

/** Column G. */
export class DocumentRecord extends LocatedRecord {
  readonly content!: string | null;
  readonly processingError!: { readonly code: string; readonly message: string } | null;
  readonly source!: string | null;
  readonly ogImage!: string | null;
  readonly raw!: null;
  readonly spatialPoint!: null;
  readonly taskType!: 'memory' | 'superrag';
  readonly dreamingStatus!: 'dreaming' | 'done';
}

/** Column L. */
export class ListedDocument extends LocatedRecord {
  /** Only with `includeContent`. */
  readonly content?: string | null;
}

export class Pagination {
  readonly currentPage!: Count;
  readonly totalPages!: Count;
  readonly totalItems!: Count;
  readonly limit!: Count;
}

export class DocumentList {
  readonly memories!: readonly ListedDocument[];
  readonly pagination!: Pagination;
}

/** Column P. */
export class ProcessingList {
  readonly documents!: readonly ProcessingItem[];
  readonly totalCount!: Count;
}

export interface DocumentPage {
  readonly documents: readonly DocumentView[];
  readonly total: number;
}

export const addedDocument = (added: AcceptedDocument, words: StatusWords): AddedDocument => ({
  id: added.id,
  status: statusOf(added.status, words),
});

const baseRecord = (row: DocumentRow, words: StatusWords): Omit<BaseRecord, 'containerTags'> => ({
  id: row.id,
  customId: row.customId,
  status: statusOf(row.stage, words),
  processingStage: row.stage,
  metadata: row.metadata,
  title: row.title,
  summary: row.summary,
  type: row.type,
  connectionId: null,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

const located = (row: DocumentRow) => ({
  containerTag: row.tags[0] ?? null,
  url: row.url,
  filepath: row.filepath,
});

export const documentRecord = ({ row, content }: DocumentView, words: StatusWords): DocumentRecord => ({
  ...baseRecord(row, words),
  ...located(row),
  containerTags: row.tags,
  content,
  processingError: row.error === null ? null : { code: row.error.code, message: row.error.message },
  source: row.source,
  ogImage: null,
  raw: null,
  spatialPoint: null,
  taskType: row.taskType,
  dreamingStatus: row.stage === 'done' || row.stage === 'failed' ? 'done' : 'dreaming',
});

/** Leaves out project tags: one client compares the tags with its own, which exclude them. */
export const documentList = (
  found: DocumentPage,
  page: Page,
  includeContent: boolean,
  words: StatusWords,
): DocumentList => ({
  memories: found.documents.map(({ row, content }) => ({
    ...baseRecord(row, words),
    ...located(row),
    containerTags: row.tags.filter((tag) => !tag.startsWith(PROJECT_PREFIX)),
    ...(includeContent ? { content } : {}),
  })),
  pagination: {
    currentPage: page.page,
    totalPages: Math.ceil(found.total / page.limit),
    totalItems: found.total,
    limit: page.limit,
  },
});

export const processingList = (found: DocumentPage, words: StatusWords): ProcessingList => ({
  documents: found.documents.map(({ row }) => ({ ...baseRecord(row, words), containerTags: row.tags })),
  totalCount: found.total,
});
