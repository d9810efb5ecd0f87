import type { DocumentRow, Unit } from '#read-side/views';
import { isActive, type Memory, type MemoryVersion, withPassage } from './memory.ts';

/** A version of a memory, and its place among the others. Times are milliseconds since the epoch. */
export interface VersionView extends Omit<MemoryVersion, 'language'> {
  /** From 1. */
  readonly number: number;
  /** Null: it is the first one. */
  readonly parentId: string | null;
  readonly rootId: string;
}

/** Returns all versions, oldest first. */
export const versionViews = (memory: Memory): readonly VersionView[] =>
  memory.versions.map((_, i) => viewAt(memory, i));

export const latestView = (memory: Memory): VersionView => viewAt(memory, memory.versions.length - 1);

const viewAt = ({ id: rootId, versions }: Memory, i: number): VersionView => ({
  ...(versions[i] as MemoryVersion),
  ...{ number: i + 1, parentId: versions[i - 1]?.id ?? null, rootId },
});

/** A memory as the views show it in its document. */
type Passage = { readonly unit: Unit; readonly document: DocumentRow };

/** Returns the only version of a memory that no caller has changed. */
export const viewOfPassage = ({ id, text }: Unit, { metadata, createdAt }: DocumentRow): VersionView => ({
  ...{ id, text, isStatic: false, metadata, forgetAfter: null, forgetReason: null, temporalContext: null },
  ...{ createdAt, number: 1, parentId: null, rootId: id },
});

/** A version of a memory that was formed from a document. */
export interface VersionInDocument extends VersionView {
  readonly isLatest: boolean;
  /** The memory is forgotten or expired. */
  readonly isForgotten: boolean;
  /** Null: it is the latest one. */
  readonly nextId: string | null;
}

/**
 * Returns the versions of a memory of a document, oldest first.
 * @param memory what callers did with it; undefined: nothing
 * @param times milliseconds since the epoch; `now` decides what has expired, and later versions than `until` are left out
 */
export function versionsInDocument(
  { unit, document }: Passage,
  memory: Memory | undefined,
  { now, until }: { readonly now: number; readonly until: number },
): readonly VersionInDocument[] {
  if (memory === undefined) {
    const version = { ...viewOfPassage(unit, document), metadata: null };
    return [{ ...version, isLatest: true, isForgotten: false, nextId: null }];
  }
  const isForgotten = !isActive(memory, now);
  const reason = memory.forgotten?.reason ?? null;
  const complete = withPassage(memory, document, unit.text);
  const versions = versionViews(complete).filter(({ createdAt }) => createdAt <= until);
  return versions.map((version, i, all) => {
    const nextId = all[i + 1]?.id ?? null;
    const forgetReason = reason ?? version.forgetReason;
    return { ...version, forgetReason, isLatest: nextId === null, isForgotten, nextId };
  });
}
