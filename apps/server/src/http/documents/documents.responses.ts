import type { AcceptedDocument, DocumentDetails, DocumentView } from '#documents/use-cases';
import { isoTime, type Metadata } from '#kernel';
import type { DocumentRow, Stage, Unit } from '#views';
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
  /** Absent if there are none. */
  readonly memories?: readonly MemoryOfDocument[];
}

export class MemoryOfDocument {
  readonly id!: string;
  readonly memory!: string;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp | null;
  readonly isLatest!: boolean;
  readonly isForgotten!: boolean;
  readonly isStatic!: boolean;
  readonly isInference!: boolean;
  /** From 1. */
  readonly version!: Count;
  /** Number of documents that it follows from. */
  readonly sourceCount!: Count;
  readonly metadata!: Metadata | null;
  readonly parentMemoryId!: string | null;
  readonly rootMemoryId!: string | null;
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

/** A memory is a first version and follows from one document. */
const memoryOfDocument = ({ createdAt, updatedAt }: DocumentRow, { id, text }: Unit): MemoryOfDocument => ({
  id,
  memory: text,
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
  isLatest: true,
  isForgotten: false,
  isStatic: false,
  isInference: false,
  version: 1,
  sourceCount: 1,
  metadata: null,
  parentMemoryId: null,
  rootMemoryId: id,
});

export const documentRecord = ({ row, content, memories }: DocumentDetails, words: StatusWords): DocumentRecord => ({
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
  ...(memories.length > 0 && { memories: memories.map((memory) => memoryOfDocument(row, memory)) }),
});

/** Leaves out project tags: one client compares the tags with its own, which exclude them. */
export const listedDocument = (row: DocumentRow, words: StatusWords): ListedDocument => ({
  ...baseRecord(row, words),
  ...located(row),
  containerTags: row.tags.filter((tag) => !tag.startsWith(PROJECT_PREFIX)),
});

export const pagination = (page: Page, total: number): Pagination => ({
  currentPage: page.page,
  totalPages: Math.ceil(total / page.limit),
  totalItems: total,
  limit: page.limit,
});

export const documentList = (
  found: DocumentPage,
  page: Page,
  includeContent: boolean,
  words: StatusWords,
): DocumentList => ({
  memories: found.documents.map(({ row, content }) => ({
    ...listedDocument(row, words),
    ...(includeContent ? { content } : {}),
  })),
  pagination: pagination(page, found.total),
});

export const processingList = (found: DocumentPage, words: StatusWords): ProcessingList => ({
  documents: found.documents.map(({ row }) => ({ ...baseRecord(row, words), containerTags: row.tags })),
  totalCount: found.total,
});
