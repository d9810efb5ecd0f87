import type { ContainerTagState, ProfileBucket, Visibility } from '#features/container-tags';

/** A tag in a list. Times are milliseconds since the epoch. */
export interface ContainerTagView {
  readonly id: string;
  readonly tag: string;
  /** Null: none was set. */
  readonly name: string | null;
  readonly emoji: string | null;
  readonly visibility: Visibility | null;
  readonly documents: number;
  readonly memories: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When one of its documents changed last. Null: it has none. */
  readonly lastActivityAt: number | null;
  /** The running merge that it is part of. Null: none. */
  readonly merge: { readonly id: string; readonly target: string; readonly isSource: boolean } | null;
}

/** What was set on a tag. */
export interface ContainerTagDetails {
  readonly tag: string;
  readonly name: string | null;
  readonly entityContext: string | null;
  readonly memoryFilesystemPaths: readonly string[] | null;
  readonly profileBuckets: readonly ProfileBucket[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Times at which something was set on a tag. */
export interface SetTimes {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A tag is as old as its oldest document or value, and as new as the newest one. */
export function timesOf(set: SetTimes | undefined, totals: SetTimes | undefined): SetTimes {
  const times = [set, totals].filter((one) => one !== undefined);
  return {
    createdAt: Math.min(...times.map(({ createdAt }) => createdAt)),
    updatedAt: Math.max(...times.map(({ updatedAt }) => updatedAt)),
  };
}

/** Returns null for a tag that no document carries and on which nothing was set. */
export function detailsOf(
  tag: string,
  state: ContainerTagState,
  totals: SetTimes | undefined,
): ContainerTagDetails | null {
  if (state.status !== 'set') {
    if (totals === undefined) return null;
    const nothing = { name: null, entityContext: null, memoryFilesystemPaths: null, profileBuckets: [] };
    return { tag, ...nothing, ...timesOf(undefined, totals) };
  }
  const { name, entityContext, memoryFilesystemPaths, profileBuckets } = state;
  return { tag, name, entityContext, memoryFilesystemPaths, profileBuckets, ...timesOf(state, totals) };
}
