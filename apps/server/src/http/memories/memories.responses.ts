import type { MatchedMemories } from '#composition/application';
import { tagId } from '#features/container-tags';
import type { VersionView } from '#features/memories';
import type { ListedMemory } from '#features/memories/use-cases';
import type { Page } from '#platform/input';
import { isoTime, type Metadata } from '#platform/kernel';
import { type Pagination, pagination } from '../documents/documents.responses.ts';
import type { Count, Score, Timestamp } from '../openapi/scalars.ts';
import { AnyVersion, anyVersion } from './version.responses.ts';

/** Answers about memories. The classes are types only; none is instantiated. */

/** A memory that was recorded. */
export class RecordedMemory {
  /** Of the version. */
  readonly id!: string;
  /** The statement. */
  readonly memory!: string;
  /** A lasting fact. */
  readonly isStatic!: boolean;
  readonly createdAt!: Timestamp;
  /** When it expires, or null. */
  readonly forgetAfter!: Timestamp | null;
  /** Why it expires, or null. */
  readonly forgetReason!: string | null;
  /** Its metadata, or null. */
  readonly metadata!: Metadata | null;
}

/** The memories of a request. */
export class RecordedMemories {
  /** Null: the memories belong to no document. */
  readonly documentId!: string | null;
  /** In the order of the request. One that was there before is not recorded again. */
  readonly memories!: readonly RecordedMemory[];
}

/** The latest version of a memory. */
export class RevisedMemory extends AnyVersion {
  /** When it expires, or null. */
  readonly forgetAfter!: Timestamp | null;
  /** Why it expires, or null. */
  readonly forgetReason!: string | null;
  /** Its metadata, or null. */
  readonly metadata!: Metadata | null;
}

/** Memories that are neither forgotten nor expired any more. */
export class RestoredMemories {
  /** Their latest versions. */
  readonly restored!: readonly RevisedMemory[];
}

/** A memory that was found for forgetting, by its latest version. */
export class MatchingMemory {
  /** Of the version. */
  readonly id!: string;
  /** The statement. */
  readonly memory!: string;
  /** How similar it is to the query; 1 if the request names it. */
  readonly score!: Score;
}

/** Memories that a request has forgotten, or would forget. */
export class ForgottenMemories {
  /** Nothing was changed. */
  readonly dryRun!: boolean;
  /** Number of the memories. */
  readonly count!: Count;
  /** Correlation id of the events, or null if nothing was changed. */
  readonly forgetBatchId!: string | null;
  /** The outcome in words. */
  readonly summary!: string;
  /** Only with `dryRun`: what would be forgotten. */
  readonly candidates?: readonly MatchingMemory[];
  /** Only without `dryRun`. */
  readonly forgotten?: readonly MatchingMemory[];
}

/** The memory that was forgotten. */
export class ForgottenMemory {
  /** Of its latest version. */
  readonly id!: string;
  /** Always true. */
  readonly forgotten!: boolean;
}

/** An earlier version of a memory. */
export class FormerVersion extends AnyVersion {
  readonly updatedAt!: Timestamp;
  /** False: a later version has taken its place. */
  readonly isLatest!: boolean;
  /** The memory is forgotten or expired. */
  readonly isForgotten!: boolean;
}

/** Dates of what a memory says. */
export class TemporalContext {
  /** When it was said, or null. */
  readonly documentDate!: string | null;
  /** The dates of which it speaks, or null. */
  readonly eventDate!: readonly string[] | null;
}

/** A listed memory, by its latest version. */
export class ListedMemoryEntry extends FormerVersion {
  /** A lasting fact. */
  readonly isStatic!: boolean;
  /** Inferred from other memories. Always false in this version. */
  readonly isInference!: boolean;
  /** Id of the container tag. */
  readonly spaceId!: string;
  /** Id of the organization. */
  readonly orgId!: string;
  /** The container tag. */
  readonly containerTag!: string;
  /** Number of documents that say it. */
  readonly sourceCount!: Count;
  /** When it expires, or null. */
  readonly forgetAfter!: Timestamp | null;
  /** Why it expires or was forgotten, or null. */
  readonly forgetReason!: string | null;
  /** Its metadata, or null. */
  readonly metadata!: Metadata | null;
  /** How it relates to other memories, by their ids: `updates` the version before it. Null: to none. */
  readonly memoryRelations!: Readonly<Record<string, string>> | null;
  /** Dates of what it says, or null. */
  readonly temporalContext!: TemporalContext | null;
  /** Earlier versions, the newest first. */
  readonly history!: readonly FormerVersion[];
  /** The documents that say it. */
  readonly documentIds!: readonly string[];
}

/** A page of memories. */
export class MemoryList {
  /** The memories of the page. */
  readonly memoryEntries!: readonly ListedMemoryEntry[];
  /** Which page it is. */
  readonly pagination!: Pagination;
}

const details = ({ forgetAfter, forgetReason, metadata }: VersionView) => ({ forgetAfter, forgetReason, metadata });

export const recordedMemories = (memories: readonly VersionView[]): RecordedMemories => ({
  documentId: null,
  memories: memories.map((one) => ({
    ...{ id: one.id, memory: one.text, isStatic: one.isStatic, createdAt: isoTime(one.createdAt) },
    ...details(one),
  })),
});

export const revisedMemory = (one: VersionView): RevisedMemory => ({
  ...anyVersion(one),
  ...details(one),
});

export function forgottenMemories({ batch, scores }: MatchedMemories): ForgottenMemories {
  const memories = batch.memories.map(({ id, rootId, text }) => ({ id, memory: text, score: scores.get(rootId) ?? 1 }));
  const dryRun = batch.id === null;
  const noun = memories.length === 1 ? 'memory' : 'memories';
  const summary = dryRun ? `${memories.length} ${noun} would be forgotten` : `${memories.length} ${noun} forgotten`;
  return {
    ...{ dryRun, count: memories.length, forgetBatchId: batch.id, summary },
    ...(dryRun ? { candidates: memories } : { forgotten: memories }),
  };
}

export const memoryList = (
  found: { readonly memories: readonly ListedMemory[]; readonly total: number },
  page: Page,
): MemoryList => ({
  memoryEntries: found.memories.map(memoryEntry),
  pagination: pagination(page, found.total),
});

function memoryEntry({
  row,
  documentIds,
  isInactive: isForgotten,
  versions,
  isFormer,
}: ListedMemory): ListedMemoryEntry {
  const [latest, ...former] = versions as readonly [VersionView, ...VersionView[]];
  const [tag = ''] = row.tags;
  return {
    ...version(latest, isForgotten),
    ...{
      updatedAt: isoTime(row.updatedAt),
      isLatest: isFormer === undefined,
      isStatic: latest.isStatic,
      isInference: false,
    },
    ...{ spaceId: tagId(row.organization, tag), orgId: row.organization, containerTag: tag },
    ...{
      sourceCount: documentIds.length,
      documentIds,
      memoryRelations: latest.parentId === null ? null : { [latest.parentId]: 'updates' },
      temporalContext: latest.temporalContext,
    },
    ...details(latest),
    // That of the document and of the memory.
    metadata: row.metadata,
    forgetReason: row.memory?.forgetReason ?? null,
    history: former.map((one) => version(one, isForgotten)),
  };
}

const version = (one: VersionView, isForgotten: boolean): FormerVersion => ({
  ...anyVersion(one),
  ...{ updatedAt: isoTime(one.createdAt), isLatest: false, isForgotten },
});
