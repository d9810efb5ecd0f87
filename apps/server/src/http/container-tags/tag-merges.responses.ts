import type { TagMerge } from '#features/container-tags';
import type { QueuedMerge } from '#features/container-tags/use-cases';
import type { Count } from '../openapi/scalars.ts';

/** Answers about merges of container tags (contract §4.8). The classes are types only; none is instantiated. */

/** An accepted merge. It is carried out after the response. */
export class QueuedTagMerge {
  /** Always true. */
  readonly success!: boolean;
  /** Always `queued`. */
  readonly status!: 'queued';
  /** Id of the merge. */
  readonly mergeId!: string;
  /** The tag that the documents will carry. */
  readonly targetTag!: string;
  /** The tags that will be gone. */
  readonly sourceTags!: readonly string[];
}

/** Progress of a merge. */
export class TagMergeProgress {
  /** The same as the status of the merge. */
  readonly phase!: string;
  /** The tag that is being merged, or null after the last one. */
  readonly currentSourceTag!: string | null;
  /** Always `chunk` in this version. */
  readonly currentKind!: 'chunk' | 'memory';
  /** Documents that were moved. */
  readonly copiedRows!: Count;
  /** The tags that are merged. */
  readonly completedSourceTags!: readonly string[];
  /** Always 0 in this version. */
  readonly inFlightItems!: Count;
  /** How often the merge was started. */
  readonly attempt!: Count;
}

/** A merge. */
export class TagMergeRecord {
  /** Id of the merge. */
  readonly id!: string;
  /** `completed` and `failed` are final. */
  readonly status!:
    | 'queued'
    | 'waiting_for_ingest'
    | 'copying_vectors'
    | 'db_committing'
    | 'cleanup_pending'
    | 'completed'
    | 'failed';
  /** The tags that are merged. */
  readonly sourceTags!: readonly string[];
  /** The tag that the documents carry afterwards. */
  readonly targetTag!: string;
  /** Null: it has not begun. */
  readonly progress!: TagMergeProgress | null;
  /** Why the merge failed, or null. */
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
