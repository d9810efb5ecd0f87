import type { DocumentRow, Unit } from '#read-side/views';
import type { LiveMemory } from './decide.ts';
import { asShown, passageOf } from './passage.ts';
import { inactiveFrom, latestVersion, type MemoryVersion } from './state.ts';

/** A version of a memory, and its place in the chain. Times are milliseconds since the epoch. */
export interface VersionView extends Omit<MemoryVersion, 'language'> {
  /** From 1. */
  readonly number: number;
  /** Null: it is the first one. */
  readonly parentId: string | null;
  readonly rootId: string;
}

/** All versions, oldest first. */
export function versionViewsOf({ id: rootId, memory: { versions } }: LiveMemory): readonly VersionView[] {
  return versions.map((version, i) => ({ ...version, number: i + 1, parentId: versions[i - 1]?.id ?? null, rootId }));
}

export const latestViewOf = (live: LiveMemory): VersionView => ({
  ...latestVersion(live.memory),
  number: live.memory.versions.length,
  parentId: live.memory.versions.at(-2)?.id ?? null,
  rootId: live.id,
});

/** A memory as the views show it in its document. */
type Passage = { readonly unit: Unit; readonly document: DocumentRow };

/** The only version of a memory that nobody has touched. */
export const versionOfPassage = ({ id, text }: Unit, { metadata, createdAt }: DocumentRow): VersionView => ({
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
 * @param live what callers did with it; undefined: nothing
 * @param times milliseconds since the epoch; `now` decides what has expired, and later versions than `until` are left out
 */
export function versionsInDocument(
  passage: Passage,
  live: LiveMemory | undefined,
  { now, until }: { readonly now: number; readonly until: number },
): readonly VersionInDocument[] {
  if (live === undefined) {
    const version = { ...versionOfPassage(passage.unit, passage.document), metadata: null };
    return [{ ...version, isLatest: true, isForgotten: false, nextId: null }];
  }
  const from = inactiveFrom(live.memory);
  const isForgotten = from !== null && from <= now;
  const reason = live.memory.forgotten?.reason ?? null;
  const versions = versionViewsOf(asShown(live, passageOf(passage))).filter(({ createdAt }) => createdAt <= until);
  return versions.map((version, i, all) => {
    const nextId = all[i + 1]?.id ?? null;
    const forgetReason = reason ?? version.forgetReason;
    return { ...version, forgetReason, isLatest: nextId === null, isForgotten, nextId };
  });
}
