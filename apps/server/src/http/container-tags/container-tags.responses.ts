import { isProject } from '#features/container-tags';
import type {
  ContainerTagDetails,
  ContainerTagView,
  DeletedTag as DeletedTagTotals,
} from '#features/container-tags/use-cases';
import { isoTime } from '#platform/kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about container tags (contract §2.6, §4.8). The classes are types only; none is instantiated. */

/** A container tag with its totals. */
export class ListedTag {
  /** Id of the tag. */
  readonly id!: string;
  /** As it was set, else the tag itself. */
  readonly name!: string;
  /** The tag. */
  readonly containerTag!: string;
  /** Always null in this version. */
  readonly description!: string | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  /** Always false in this version. */
  readonly isExperimental!: boolean;
  /** As it was set. Absent if none is. */
  readonly emoji?: string;
  /** As it was set. Absent if none is. */
  readonly visibility?: 'public' | 'private' | 'unlisted';
  /** Whether the tag is a project. */
  readonly isNova!: boolean;
  /** Number of documents with the tag. */
  readonly documentCount!: Count;
  /** Number of memories of these documents. */
  readonly memoryCount!: Count;
  /** Time of the last change of one of these documents, or null if there are none. */
  readonly lastActivityAt!: Timestamp | null;
  /** Part of the tag in a running merge. */
  readonly mergeStatus?: 'source' | 'target';
  /** Id of the running merge. */
  readonly mergeId?: string;
  /** The target of the running merge. */
  readonly mergeTargetTag?: string;
}

/** A group of the profile. */
export class TagBucket {
  /** Name of the group in the profile. */
  readonly key!: string;
  /** What belongs to the group. */
  readonly description!: string;
}

/** What is set on a container tag. */
export class ChangedTag {
  /** The tag. */
  readonly containerTag!: string;
  /** Name for display, or null. */
  readonly name!: string | null;
  /** What the tag is about, or null. */
  readonly entityContext!: string | null;
  /** As they were set, or null. */
  readonly memoryFilesystemPaths!: readonly string[] | null;
  /** The groups of the tag. */
  readonly profileBuckets!: readonly TagBucket[];
  readonly updatedAt!: Timestamp;
}

/** What is set on a container tag, with the time of its beginning. */
export class TagRecord extends ChangedTag {
  readonly createdAt!: Timestamp;
}

/** Result of the deletion of a container tag. */
export class DeletedTag {
  /** Always true. */
  readonly success!: boolean;
  /** The tag. */
  readonly containerTag!: string;
  /** Documents that carry another tag are not among them. */
  readonly deletedDocumentsCount!: Count;
  /** Number of memories of the deleted documents. */
  readonly deletedMemoriesCount!: Count;
}

export const deletedTag = (containerTag: string, { documents, memories }: DeletedTagTotals): DeletedTag => ({
  ...{ success: true, containerTag },
  ...{ deletedDocumentsCount: documents, deletedMemoriesCount: memories },
});

export const listedTag = (view: ContainerTagView): ListedTag => ({
  id: view.id,
  name: view.name ?? view.tag,
  containerTag: view.tag,
  description: null,
  createdAt: isoTime(view.createdAt),
  updatedAt: isoTime(view.updatedAt),
  isExperimental: false,
  ...(view.emoji !== null && { emoji: view.emoji }),
  ...(view.visibility !== null && { visibility: view.visibility }),
  isNova: isProject(view.tag),
  documentCount: view.documents,
  memoryCount: view.memories,
  lastActivityAt: view.lastActivityAt === null ? null : isoTime(view.lastActivityAt),
  ...(view.merge !== null && {
    mergeStatus: view.merge.isSource ? ('source' as const) : ('target' as const),
    mergeId: view.merge.id,
    mergeTargetTag: view.merge.target,
  }),
});

export const changedTag = (details: ContainerTagDetails): ChangedTag => ({
  containerTag: details.tag,
  name: details.name,
  entityContext: details.entityContext,
  memoryFilesystemPaths: details.memoryFilesystemPaths,
  profileBuckets: details.profileBuckets,
  updatedAt: isoTime(details.updatedAt),
});

export const tagRecord = (details: ContainerTagDetails): TagRecord => ({
  ...changedTag(details),
  createdAt: isoTime(details.createdAt),
});
