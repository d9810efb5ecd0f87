import type { EventCatalogue, EventOf } from '#platform/kernel';

export interface ProfileBucket {
  readonly key: string;
  readonly description: string;
}

export type Visibility = 'public' | 'private' | 'unlisted';

/** Only what changed is present. `…Added`: the rest of a list that is too long for one event. */
export type ContainerTagChanged = EventOf<
  'ContainerTagChanged',
  {
    readonly containerTag: string;
    readonly name?: string | null;
    readonly entityContext?: string | null;
    readonly emoji?: string | null;
    readonly visibility?: Visibility | null;
    readonly memoryFilesystemPaths?: readonly string[] | null;
    readonly memoryFilesystemPathsAdded?: readonly string[];
    readonly profileBuckets?: readonly ProfileBucket[];
    readonly profileBucketsAdded?: readonly ProfileBucket[];
  }
>;

/** The tag was deleted or merged into another one: what callers set on it is erased. The last event of its stream. */
export type ContainerTagRemoved = EventOf<'ContainerTagRemoved', null>;

export type ContainerTagEvent = ContainerTagChanged | ContainerTagRemoved;

export const CONTAINER_TAG_EVENTS: EventCatalogue<ContainerTagEvent, { readonly isWrite: boolean }> = {
  ContainerTagChanged: { version: 1, payload: true, isWrite: true },
  ContainerTagRemoved: { version: 1, payload: false, isWrite: false },
};
