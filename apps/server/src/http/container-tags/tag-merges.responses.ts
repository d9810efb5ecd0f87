import type { TagMerge } from '#container-tags';
import type { QueuedMerge } from '#container-tags/use-cases';
import type { Count } from '../openapi/scalars.ts';

/** Answers about merges of container tags (contract §4.8). The classes are types only; none is instantiated. */

export class QueuedTagMerge {
  readonly success!: boolean;
  readonly status!: 'queued';
  readonly mergeId!: string;
  readonly targetTag!: string;
  readonly sourceTags!: readonly string[];
}

export class TagMergeProgress {
  readonly phase!: string;
  readonly currentSourceTag!: string | null;
  readonly currentKind!: 'chunk' | 'memory';
  /** Documents that were moved. */
  readonly copiedRows!: Count;
  readonly completedSourceTags!: readonly string[];
  readonly inFlightItems!: Count;
  readonly attempt!: Count;
}

export class TagMergeRecord {
  readonly id!: string;
  readonly status!:
    | 'queued'
    | 'waiting_for_ingest'
    | 'copying_vectors'
    | 'db_committing'
    | 'cleanup_pending'
    | 'completed'
    | 'failed';
  readonly sourceTags!: readonly string[];
  readonly targetTag!: string;
  /** Null: it has not begun. */
  readonly progress!: TagMergeProgress | null;
  readonly lastError!: string | null;
}

export const queuedTagMerge = ({ id, target, sources }: QueuedMerge): QueuedTagMerge => ({
  ...{ success: true, status: 'queued', mergeId: id },
  ...{ targetTag: target, sourceTags: sources },
});

export const tagMergeRecord = (merge: TagMerge): TagMergeRecord => ({
  id: merge.id,
  status: merge.status,
  sourceTags: merge.sources,
  targetTag: merge.target,
  progress: merge.attempt === 0 ? null : progressOf(merge),
  lastError: merge.error,
});

const progressOf = ({ status, sources, documents, completed, attempt }: TagMerge): TagMergeProgress => ({
  phase: status,
  currentSourceTag: sources[completed] ?? null,
  currentKind: 'chunk',
  copiedRows: documents,
  completedSourceTags: sources.slice(0, completed),
  inFlightItems: 0,
  attempt,
});
