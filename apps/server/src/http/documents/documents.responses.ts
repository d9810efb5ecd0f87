import type { AcceptedDocument } from '#features/documents/requests';
import type { DocumentDetails, ListedView } from '#features/documents/use-cases';
import type { VersionInDocument } from '#features/memories';
import type { Page } from '#platform/input';
import { isoTime, type JsonObject, type Metadata } from '#platform/kernel';
import type { DocumentRow, Stage } from '#read-side/views';
import { AnyVersion, anyVersion } from '../memories/version.responses.ts';
import type { Count, Timestamp } from '../openapi/scalars.ts';
import { contentFields } from './record-content.ts';
import { type Status, type StatusWords, statusOf } from './status-words.ts';

/** Answers about documents, in the columns of the contract (§2.1). The classes are types only; none is instantiated. */

const PROJECT_PREFIX = 'sm_project_';

/** An accepted document. It is processed after the response. */
export class AddedDocument {
  /** Id of the document. Stays the same for its whole life. */
  readonly id!: string;
  /** `queued`, unless nothing was to be processed. */
  readonly status!: Status;
}

/** Columns of every record. */
class BaseRecord {
  /** Id of the document. */
  readonly id!: string;
  /** Your own identifier, or null. */
  readonly customId!: string | null;
  /** `queued`, `processing`, `done` or `failed`. With `x-sm-status: stage` the same as `processingStage`. */
  readonly status!: Status;
  /** The step of the processing. */
  readonly processingStage!: Stage;
  /** As it was sent, or null. */
  readonly metadata!: Metadata | null;
  /** Derived from the content; null until it is known. */
  readonly title!: string | null;
  /** Passages that stand for the whole content, at most 400 characters; null if they say no more than the title. */
  readonly summary!: string | null;
  /** Type of the content, such as `text`, `pdf` or `webpage`. */
  readonly type!: string;
  /** Id of the connection that it was synced by, or null. */
  readonly connectionId!: string | null;
  /** The tags of the document, in the order in which they were set. */
  readonly containerTags!: readonly string[];
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
}

/** A document in process. */
export class ProcessingItem extends BaseRecord {}

/** Columns of every record but that of a document in process. */
class LocatedRecord extends BaseRecord {
  /** The first tag. */
  readonly containerTag!: string | null;
  /** The URL that was added, or null. */
  readonly url!: string | null;
  /** Virtual path, or null. */
  readonly filepath!: string | null;
  /** The date that was sent with the content, as it was sent; else the one that the content names as its own, or null. */
  readonly documentDate!: string | null;
  /** Language of the content, such as `en`; null if it is not known. */
  readonly language!: string | null;
  /** Author that the content names, or null. */
  readonly author!: string | null;
  /** Address that a page names as its own, or null. */
  readonly canonicalUrl!: string | null;
}

/** How far the text of a document is read. */
export class ReadingProgress {
  /** What is read so far. A restart of the server goes on behind it. */
  readonly done!: number;
  /** What there is in all; null if it is not known. */
  readonly total!: number | null;
  /** What is counted. */
  readonly unit!: 'pages' | 'seconds';
}

/** A fetch that failed and is tried again. */
export class FetchRetry {
  /** Code of the failure, as in `processingError` if the last try fails too. */
  readonly code!: string;
  /** Reason of the failure. */
  readonly message!: string;
  /** Time of the next try. */
  readonly at!: Timestamp;
}

/** A document with its content. */
export class DocumentRecord extends LocatedRecord {
  /** The text as it was sent. Of a file, the text that was read from it, or null until then. */
  readonly content!: string | null;
  /** Only if the content exceeds 64 MB: then `content` is null. */
  readonly contentOmitted?: boolean;
  /** Code and reason of a failure. Null unless the document is `failed`. */
  readonly processingError!: { readonly code: string; readonly message: string } | null;
  /**
   * How far the text is read, while that takes long: pages that need OCR, or the seconds of a recording. Null in any other
   * case.
   */
  readonly processingProgress!: ReadingProgress | null;
  /** Only while a URL that could not be fetched waits for its next try. */
  readonly retry?: FetchRetry;
  /**
   * Only of a file or page whose bytes are text: the encoding that they were read in, as a label of the WHATWG Encoding Standard,
   * such as `utf-8` or `windows-1251`. Absent if parts of the file have several.
   */
  readonly encoding?: string;
  /** Only of a text that begins with front matter: its values by their names, as they are written. */
  readonly frontMatter?: JsonObject;
  /** Where the document comes from, such as `api`. */
  readonly source!: string | null;
  /** Always null in this version. */
  readonly ogImage!: string | null;
  /** Always null. */
  readonly raw!: null;
  /** Always null. */
  readonly spatialPoint!: null;
  /** `superrag`: passages only, no memories. */
  readonly taskType!: 'memory' | 'superrag';
  /** `dreaming` while memories are formed. */
  readonly dreamingStatus!: 'dreaming' | 'done';
  /** Absent if there are none. */
  readonly memories?: readonly MemoryOfDocument[];
}

/** A memory of a document. */
export class MemoryOfDocument extends AnyVersion {
  /** Time of its last change. */
  readonly updatedAt!: Timestamp | null;
  /** False if a newer version exists. */
  readonly isLatest!: boolean;
  /** True if it is forgotten or expired. */
  readonly isForgotten!: boolean;
  /** True for a lasting fact about the subject of the tag. */
  readonly isStatic!: boolean;
  /** True if no document states it. */
  readonly isInference!: boolean;
  /** Number of documents that it follows from. */
  readonly sourceCount!: Count;
  /** Metadata of the memory, or null. */
  readonly metadata!: Metadata | null;
}

/** A document in a list. Its `containerTags` lack those that begin with `sm_project_`. */
export class ListedDocument extends LocatedRecord {
  /** Only with `includeContent`. */
  readonly content?: string | null;
  /** Only if the contents before it leave no room for this one, of 64 MB in an answer: then `content` is null. */
  readonly contentOmitted?: boolean;
}

/** Place of the page in the list. */
export class Pagination {
  /** Number of this page, from 1. */
  readonly currentPage!: Count;
  /** Number of pages; 0 for an empty list. */
  readonly totalPages!: Count;
  /** Number of entries of the list. */
  readonly totalItems!: Count;
  /** Entries on a page. */
  readonly limit!: Count;
}

/** A page of documents. */
export class DocumentList {
  /** The documents of the page. */
  readonly memories!: readonly ListedDocument[];
  readonly pagination!: Pagination;
}

/** The documents in process. */
export class ProcessingList {
  /** The newest first. */
  readonly documents!: readonly ProcessingItem[];
  /** Number of these documents. */
  readonly totalCount!: Count;
}

export interface DocumentPage {
  readonly documents: readonly ListedView[];
  readonly total: number;
}

export const addedDocument = (added: AcceptedDocument, words: StatusWords): AddedDocument => ({
  id: added.id,
  status: statusOf(added.status, words),
});

export const baseRecord = (row: DocumentRow, words: StatusWords): Omit<BaseRecord, 'containerTags'> => ({
  id: row.id,
  customId: row.customId,
  status: statusOf(row.stage, words),
  processingStage: row.stage,
  metadata: row.metadata,
  title: row.title,
  summary: row.summary,
  type: row.type,
  connectionId: connectionOf(row),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

/** Of a document that was synced from a source. */
function connectionOf({ source, customId, metadata }: DocumentRow): string | null {
  const id = metadata?.connectionId;
  return source === metadata?.provider && typeof id === 'string' && customId?.startsWith(`${id}:`) ? id : null;
}

const located = (row: DocumentRow) => ({
  containerTag: row.tags[0] ?? null,
  url: row.url,
  filepath: row.filepath,
  documentDate: row.documentDate,
  language: row.language,
  author: row.author,
  canonicalUrl: row.canonicalUrl,
});

/** It follows from one document, which decides when its first version changed. */
export const memoryOfDocument = ({ updatedAt }: DocumentRow, one: VersionInDocument): MemoryOfDocument => ({
  ...anyVersion(one),
  updatedAt: isoTime(one.number === 1 ? updatedAt : one.createdAt),
  isLatest: one.isLatest,
  isForgotten: one.isForgotten,
  isStatic: one.isStatic,
  isInference: false,
  sourceCount: 1,
  metadata: one.metadata,
});

export const documentRecord = (
  { row, content, memories, progress, retry, encoding, frontMatter }: DocumentDetails,
  words: StatusWords,
): DocumentRecord => ({
  ...baseRecord(row, words),
  ...located(row),
  containerTags: row.tags,
  content,
  processingError: row.error === null ? null : { code: row.error.code, message: row.error.message },
  processingProgress: progress,
  ...(retry !== null && { retry: { ...retry, at: isoTime(retry.at) } }),
  ...(encoding !== null && { encoding }),
  ...(frontMatter !== null && { frontMatter }),
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

/** @param found without content that is still to be read */
export const documentList = (
  found: DocumentPage,
  page: Page,
  includeContent: boolean,
  words: StatusWords,
): DocumentList => ({
  memories: found.documents.map(({ row, ...content }) => ({
    ...listedDocument(row, words),
    ...(includeContent && contentFields(content)),
  })),
  pagination: pagination(page, found.total),
});

export const processingList = (found: DocumentPage, words: StatusWords): ProcessingList => ({
  documents: found.documents.map(({ row }) => ({ ...baseRecord(row, words), containerTags: row.tags })),
  totalCount: found.total,
});
