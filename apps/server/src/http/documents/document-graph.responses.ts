import { tagId } from '#container-tags';
import type { DocumentWithMemories } from '#documents/use-cases';
import { isoTime, type Metadata } from '#kernel';
import type { DocumentRow, Unit } from '#views';
import type { Count, Timestamp } from '../openapi/scalars.ts';
import { ListedDocument, listedDocument, type Pagination, pagination } from './documents.responses.ts';
import type { Page } from './list-documents.dto.ts';
import type { StatusWords } from './status-words.ts';

type Relation = 'updates' | 'extends' | 'derives';

export class MemoryEntry {
  readonly id!: string;
  readonly memory!: string;
  readonly spaceId!: string;
  readonly isStatic!: boolean;
  readonly isLatest!: boolean;
  readonly isForgotten!: boolean;
  readonly forgetAfter!: Timestamp | null;
  readonly forgetReason!: string | null;
  /** From 1. */
  readonly version!: Count;
  readonly parentMemoryId!: string | null;
  readonly rootMemoryId!: string | null;
  /** By the id of the other memory. */
  readonly memoryRelations!: Readonly<Record<string, Relation>>;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  readonly sourceAddedAt!: Timestamp | null;
  readonly sourceRelevanceScore!: number | null;
  readonly sourceMetadata!: Metadata | null;
  readonly spaceContainerTag!: string | null;
  readonly relation!: Relation | null;
  readonly updatesMemoryId!: string | null;
  readonly nextVersionId!: string | null;
}

export class GraphDocument extends ListedDocument {
  /** In the order of the text. A page holds at most 20,000; its last documents then have fewer. */
  readonly memoryEntries!: readonly MemoryEntry[];
}

export class GraphPage {
  readonly documents!: readonly GraphDocument[];
  readonly pagination!: Pagination;
}

export class Facet {
  /** As `categories` of `POST /v3/documents/documents` takes it: the type of the documents. */
  readonly category!: string;
  /** The category in words. */
  readonly label!: string;
  readonly count!: Count;
}

export class Facets {
  /** The most frequent first. */
  readonly facets!: readonly Facet[];
  /** Number of documents. */
  readonly total!: Count;
}

/** A memory is a first version, follows from one document and is in the space of its first tag. */
function memoryEntry({ organization, tags, createdAt, updatedAt }: DocumentRow, { id, text }: Unit): MemoryEntry {
  const tag = tags[0] ?? '';
  return {
    id,
    memory: text,
    spaceId: tagId(organization, tag),
    isStatic: false,
    isLatest: true,
    isForgotten: false,
    forgetAfter: null,
    forgetReason: null,
    version: 1,
    parentMemoryId: null,
    rootMemoryId: id,
    memoryRelations: {},
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    sourceAddedAt: isoTime(createdAt),
    sourceRelevanceScore: null,
    sourceMetadata: null,
    spaceContainerTag: tag,
    relation: null,
    updatesMemoryId: null,
    nextVersionId: null,
  };
}

export const graphPage = (
  documents: readonly DocumentWithMemories[],
  page: Page,
  total: number,
  words: StatusWords,
): GraphPage => ({
  documents: documents.map(({ row, memories }) => ({
    ...listedDocument(row, words),
    memoryEntries: memories.map((memory) => memoryEntry(row, memory)),
  })),
  pagination: pagination(page, total),
});

export const facets = (counts: readonly { readonly type: string; readonly count: number }[]): Facets => ({
  facets: counts.map(({ type, count }) => ({ category: type, label: labelOf(type), count })),
  total: counts.reduce((sum, { count }) => sum + count, 0),
});

/** `google_doc` in words: Google doc. */
function labelOf(type: string): string {
  const words = type.replaceAll('_', ' ');
  return type === 'pdf' ? 'PDF' : words.charAt(0).toUpperCase() + words.slice(1);
}
