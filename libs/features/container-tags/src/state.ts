import type { ProfileBucket, Visibility } from './events.ts';

/** What callers have set on a tag. Null: nothing. */
export interface TagValues {
  readonly name: string | null;
  readonly entityContext: string | null;
  readonly emoji: string | null;
  readonly visibility: Visibility | null;
  readonly memoryFilesystemPaths: readonly string[] | null;
  readonly profileBuckets: readonly ProfileBucket[];
}

/** `plain`: nothing was ever set on the tag. Times are milliseconds since the epoch. */
export type ContainerTagState =
  | { readonly status: 'plain' }
  | { readonly status: 'removed' }
  | (TagValues & {
      readonly status: 'set';
      readonly tag: string;
      readonly createdAt: number;
      readonly updatedAt: number;
    });

export const initialTag: ContainerTagState = { status: 'plain' };

export const NO_VALUES: TagValues = {
  ...{ name: null, entityContext: null, emoji: null, visibility: null },
  ...{ memoryFilesystemPaths: null, profileBuckets: [] },
};

/** Version of the shape of the state; snapshots of other versions are ignored. */
export const TAG_VERSION = 1;
