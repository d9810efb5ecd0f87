import { isProject } from '#container-tags';
import type { ContainerTagDetails, ContainerTagView, DeletedTag as DeletedTagTotals } from '#container-tags/use-cases';
import { isoTime } from '#kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about container tags (contract §2.6, §4.8). The classes are types only; none is instantiated. */

export class ListedTag {
  readonly id!: string;
  /** As it was set, else the tag itself. */
  readonly name!: string;
  readonly containerTag!: string;
  readonly description!: string | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  readonly isExperimental!: boolean;
  readonly emoji?: string;
  readonly visibility?: 'public' | 'private' | 'unlisted';
  /** Whether the tag is a project. */
  readonly isNova!: boolean;
  readonly documentCount!: Count;
  readonly memoryCount!: Count;
  readonly lastActivityAt!: Timestamp | null;
  /** Part of the tag in a running merge. */
  readonly mergeStatus?: 'source' | 'target';
  readonly mergeId?: string;
  readonly mergeTargetTag?: string;
}

export class TagBucket {
  readonly key!: string;
  readonly description!: string;
}

/** What was set on a tag. */
export class ChangedTag {
  readonly containerTag!: string;
  readonly name!: string | null;
  readonly entityContext!: string | null;
  readonly memoryFilesystemPaths!: readonly string[] | null;
  readonly profileBuckets!: readonly TagBucket[];
  readonly updatedAt!: Timestamp;
}

export class TagRecord extends ChangedTag {
  readonly createdAt!: Timestamp;
}

export class DeletedTag {
  readonly success!: boolean;
  readonly containerTag!: string;
  /** Documents that carry another tag are not among them. */
  readonly deletedDocumentsCount!: Count;
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
