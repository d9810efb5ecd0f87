import type { VersionView } from '#features/memories';
import { isoTime } from '#platform/kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** What all answers with versions of memories say of a version. A type only; it is not instantiated. */
export class AnyVersion {
  /** Of the version. */
  readonly id!: string;
  /** The statement. */
  readonly memory!: string;
  /** Number of the version, from 1. */
  readonly version!: Count;
  /** Id of the version before it, or null. */
  readonly parentMemoryId!: string | null;
  /** Id of the first version. */
  readonly rootMemoryId!: string | null;
  readonly createdAt!: Timestamp;
}

export const anyVersion = (one: VersionView): AnyVersion => ({
  ...{ id: one.id, memory: one.text, version: one.number },
  ...{ parentMemoryId: one.parentId, rootMemoryId: one.rootId, createdAt: isoTime(one.createdAt) },
});
