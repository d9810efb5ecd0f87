import { tagId } from '#features/container-tags';
import type { DocumentWithMemories } from '#features/documents/use-cases';
import type { VersionInDocument } from '#features/memories';
import type { Page } from '#platform/input';
import { isoTime, type Metadata } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';
import { AnyVersion, anyVersion } from '../memories/version.responses.ts';
import type { Count, Timestamp } from '../openapi/scalars.ts';
import { ListedDocument, listedDocument, type Pagination, pagination } from './documents.responses.ts';
import type { StatusWords } from './status-words.ts';

type Relation = 'updates' | 'extends' | 'derives';

/** A version of a memory, as a graph draws it. */
export class MemoryEntry extends AnyVersion {
  /** Id of the container tag of the memory. */
  readonly spaceId!: string;
  /** True for a lasting fact about the subject of the tag. */
  readonly isStatic!: boolean;
  /** False if a newer version exists. */
  readonly isLatest!: boolean;
  /** True if it is forgotten or expired. */
  readonly isForgotten!: boolean;
  /** When it expires, or null. */
  readonly forgetAfter!: Timestamp | null;
  /** Why it was forgotten, or null. */
  readonly forgetReason!: string | null;
  /** By the id of the other memory. */
  readonly memoryRelations!: Readonly<Record<string, Relation>>;
  readonly updatedAt!: Timestamp;
  /** When its document was added. */
  readonly sourceAddedAt!: Timestamp | null;
  /** Always null in this version. */
  readonly sourceRelevanceScore!: number | null;
  /** Always null in this version. */
  readonly sourceMetadata!: Metadata | null;
  /** The container tag of the memory. */
  readonly spaceContainerTag!: string | null;
  /** Relation to the version before, or null. */
  readonly relation!: Relation | null;
  /** Id of the memory that this one updates, or null. */
  readonly updatesMemoryId!: string | null;
  /** Id of the next version, or null. */
  readonly nextVersionId!: string | null;
}

/** A document with its memories. */
export class GraphDocument extends ListedDocument {
  /** All versions of each memory, in the order of the text. A page holds at most 20,000; its last documents then have fewer. */
  readonly memoryEntries!: readonly MemoryEntry[];
  /** The same as `memoryEntries`, by the name that graph components read. */
  readonly memories!: readonly MemoryEntry[];
  /** The same as `type`, by the name that graph components read. */
  readonly documentType!: string;
}

/** A page of documents with their memories. */
export class GraphPage {
  /** The documents of the page. */
  readonly documents!: readonly GraphDocument[];
  readonly pagination!: Pagination;
}

/** A category of documents. */
export class Facet {
  /** As `categories` of `POST /v3/documents/documents` takes it: the type of the documents. */
  readonly category!: string;
  /** The category in words. */
  readonly label!: string;
  /** Number of documents of the category. */
  readonly count!: Count;
}

/** The categories of documents. */
export class Facets {
  /** The most frequent first. */
  readonly facets!: readonly Facet[];
  /** Number of documents. */
  readonly total!: Count;
}

/** It follows from one document, and is in the space of the first tag of this document. */
function memoryEntry(row: DocumentRow, version: VersionInDocument): MemoryEntry {
  const [tag = ''] = row.tags;
  const { parentId } = version;
  return {
    ...anyVersion(version),
    spaceId: tagId(row.organization, tag),
    ...{ isStatic: version.isStatic, isLatest: version.isLatest, isForgotten: version.isForgotten },
    ...{ forgetAfter: version.forgetAfter, forgetReason: version.forgetReason },
    memoryRelations: parentId === null ? {} : { [parentId]: 'updates' },
    updatedAt: isoTime(parentId === null ? row.updatedAt : version.createdAt),
    sourceAddedAt: isoTime(row.createdAt),
    sourceRelevanceScore: null,
    sourceMetadata: null,
    spaceContainerTag: tag,
    relation: parentId === null ? null : 'updates',
    updatesMemoryId: parentId,
    nextVersionId: version.nextId,
  };
}

export const graphPage = (
  documents: readonly DocumentWithMemories[],
  page: Page,
  total: number,
  words: StatusWords,
): GraphPage => ({
  documents: documents.map(({ row, memories }) => {
    const entries = memories.map((version) => memoryEntry(row, version));
    return { ...listedDocument(row, words), memoryEntries: entries, memories: entries, documentType: row.type };
  }),
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
