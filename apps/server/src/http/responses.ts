import type { AcceptedDocument, DocumentView } from '#documents/use-cases';
import { type Caller, isoTime } from '#kernel';
import type { DocumentResult, Explanation, MemoryResult, Profile } from '#search/use-cases';
import type { DocumentRow } from '#views';
import type { Page } from './documents/list-documents.dto.ts';
import { type StatusWords, statusOf } from './documents/status-words.ts';

/** Every answer of the API, in the words and the columns of the contract (§2). */

const PROJECT_PREFIX = 'sm_project_';

export const addedDocument = (added: AcceptedDocument, words: StatusWords) => ({
  id: added.id,
  status: statusOf(added.status, words),
});

/** Columns that every record has. */
const baseRecord = (row: DocumentRow, words: StatusWords) => ({
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

/** Column G. */
export const documentRecord = ({ row, content }: DocumentView, words: StatusWords) => ({
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

export interface DocumentPage {
  readonly documents: readonly DocumentView[];
  readonly total: number;
}

/** Column L. One client compares the tags with its own minus the projects, so these stay out. */
export const documentList = (found: DocumentPage, page: Page, includeContent: boolean, words: StatusWords) => ({
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

/** Column P. */
export const processingList = (found: DocumentPage, words: StatusWords) => ({
  documents: found.documents.map(({ row }) => ({ ...baseRecord(row, words), containerTags: row.tags })),
  totalCount: found.total,
});

const explained = (explanation: Explanation | null, wanted: boolean) => (wanted ? { explain: explanation } : {});

export interface DocumentSearchParts {
  readonly includeFullDocs: boolean;
  readonly includeSummary: boolean;
  readonly explain: boolean;
}

export const documentResults = (found: readonly DocumentResult[], timing: number, parts: DocumentSearchParts) => ({
  results: found.map(({ document, score, chunks, content }) => ({
    documentId: document.id,
    id: document.id,
    customId: document.customId,
    title: document.title,
    type: document.type,
    score,
    chunks: chunks.map((chunk) => ({
      content: chunk.content,
      isRelevant: chunk.isRelevant,
      score: chunk.score,
      position: chunk.position,
      ...explained(chunk.explanation, parts.explain),
    })),
    metadata: document.metadata,
    createdAt: isoTime(document.createdAt),
    updatedAt: isoTime(document.updatedAt),
    ...(parts.includeFullDocs ? { content } : {}),
    ...(parts.includeSummary ? { summary: document.summary } : {}),
  })),
  timing,
  total: found.length,
});

export interface MemorySearchParts {
  readonly documents: boolean;
  readonly summaries: boolean;
  readonly explain: boolean;
}

export const memoryResults = (found: readonly MemoryResult[], timing: number, parts: MemorySearchParts) => ({
  results: found.map((memory) => memoryResult(memory, parts)),
  timing,
  total: found.length,
});

/** Exactly one of `memory` and `chunk`. */
function memoryResult({ unit, similarity, document, explanation }: MemoryResult, parts: MemorySearchParts) {
  return {
    id: unit.id,
    ...(unit.kind === 'memory'
      ? { memory: unit.text, version: 1, rootMemoryId: unit.id }
      : { chunk: unit.text, documentId: document.id }),
    similarity,
    ...(document.title === null ? {} : { title: document.title }),
    metadata: document.metadata,
    updatedAt: isoTime(document.updatedAt),
    filepath: document.filepath,
    ...(parts.documents || parts.summaries ? { documents: [sourceDocument(document, parts)] } : {}),
    ...explained(explanation, parts.explain),
  };
}

const sourceDocument = (document: DocumentRow, parts: MemorySearchParts) => ({
  id: document.id,
  ...(parts.documents ? { title: document.title, type: document.type, metadata: document.metadata } : {}),
  ...(parts.summaries ? { summary: document.summary } : {}),
  createdAt: isoTime(document.createdAt),
  updatedAt: isoTime(document.updatedAt),
});

const PLAIN: MemorySearchParts = { documents: false, summaries: false, explain: false };

export interface FoundInProfile {
  readonly found: readonly MemoryResult[];
  readonly timing: number;
}

export const profileAnswer = (profile: Profile, search: FoundInProfile | null) => ({
  profile: { static: profile.static, dynamic: profile.dynamic, buckets: {} },
  ...(search === null ? {} : { searchResults: memoryResults(search.found, search.timing, PLAIN) }),
});

export const session = ({ keyId, organization, role, tags }: Caller) => ({
  user: { id: keyId },
  org: { id: organization },
  role,
  accessType: tags === 'all' ? 'full' : 'restricted',
  containerTags: tags === 'all' ? null : tags.map((containerTag) => ({ containerTag, permission: 'read' })),
  scope: tags === 'all' ? { type: 'full' } : { type: 'scoped', tags },
});
