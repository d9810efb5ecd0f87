import { type LiveMemory, latestVersion, type MemoryVersion } from '#documents';

/** A version of a memory, and its place in the chain. Times are milliseconds since the epoch. */
export interface VersionView extends Omit<MemoryVersion, 'language'> {
  /** From 1. */
  readonly number: number;
  /** Null: it is the first one. */
  readonly parentId: string | null;
  readonly rootId: string;
}

/** All versions, oldest first. */
export function versionsOf({ id: rootId, memory: { versions } }: LiveMemory): readonly VersionView[] {
  return versions.map((version, i) => ({ ...version, number: i + 1, parentId: versions[i - 1]?.id ?? null, rootId }));
}

export const latestViewOf = (live: LiveMemory): VersionView => ({
  ...latestVersion(live.memory),
  number: live.memory.versions.length,
  parentId: live.memory.versions.at(-2)?.id ?? null,
  rootId: live.id,
});
