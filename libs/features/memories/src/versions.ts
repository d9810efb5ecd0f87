import type { Memory, MemoryVersion } from './memory.ts';

/** Name of the read model that finds memories by the ids of their versions. */
export const MEMORY_VERSIONS = 'memory_versions';

/** A version of a memory with its transaction time. Times are milliseconds since the epoch. */
export interface NumberedVersion {
  readonly version: MemoryVersion;
  /** From 1. */
  readonly number: number;
  /** When the next version superseded it. Null: it is the latest one. */
  readonly until: number | null;
  /** Whether its text is not here, but in the document that it was formed from. */
  readonly isInDocument: boolean;
}

/** Returns the versions of a memory, the oldest first. */
export function numberedVersions({ versions, passage }: Memory): readonly NumberedVersion[] {
  return versions.map((version, i) => ({
    ...{ version, number: i + 1, until: versions[i + 1]?.createdAt ?? null },
    isInDocument: passage !== null && i === 0,
  }));
}

/** As `numberedVersions`, without the latest one. */
export const supersededVersions = (memory: Memory): readonly NumberedVersion[] => numberedVersions(memory).slice(0, -1);

/** The dates for which a version counts: milliseconds since the epoch. Null: all later ones. */
export interface ValidTime {
  readonly from: number;
  readonly until: number | null;
}

/**
 * Returns the valid time of each version of a memory. It begins with the date of the version, else that of its document, else when
 * the version was written; of equal dates the later version counts.
 * @param documentDate milliseconds since the epoch. Null: unknown
 */
export function validTimes({ versions }: Memory, documentDate: number | null): readonly ValidTime[] {
  const dates = versions.map((version, i) => ({ i, from: dateIn(version) ?? documentDate ?? version.createdAt }));
  const inOrder = dates.toSorted((a, b) => a.from - b.from || a.i - b.i);
  const next = new Map(inOrder.map(({ i }, place) => [i, inOrder[place + 1]?.from ?? null]));
  return dates.map(({ i, from }) => ({ from, until: next.get(i) ?? null }));
}

function dateIn(version: MemoryVersion): number | null {
  const date = Date.parse(dateOfVersion(version) ?? '');
  return Number.isNaN(date) ? null : date;
}

/** By which the text of a version is embedded: its date, as `unitsDate` of a document. */
export const dateOfVersion = ({ temporalContext }: MemoryVersion): string | null =>
  temporalContext?.documentDate ?? null;
