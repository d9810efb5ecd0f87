import type { Live } from '../state.ts';
import type { MemoryVersion, RecordedMemory } from './state.ts';

/** A version of a memory. Times are milliseconds since the epoch. */
export interface FormerVersion {
  readonly version: MemoryVersion;
  /** From 1. */
  readonly number: number;
  /** When the next version took its place. Null: it is the latest one. */
  readonly until: number | null;
  /** Whether its text is not here, but in the document that it was formed from. */
  readonly isInDocument: boolean;
}

/** Returns the versions of a memory, the oldest first. A document has none. */
export function versionsOf({ memory }: Pick<Live, 'memory'>): readonly FormerVersion[] {
  if (memory === null) return [];
  const { versions, passage } = memory;
  return versions.map((version, i) => ({
    ...{ version, number: i + 1, until: versions[i + 1]?.createdAt ?? null },
    isInDocument: passage !== null && i === 0,
  }));
}

/** As `versionsOf`, without the latest one. */
export const formerVersions = (live: Pick<Live, 'memory'>): readonly FormerVersion[] => versionsOf(live).slice(0, -1);

/** For which dates a version counts: milliseconds since the epoch. Null: for all later ones. */
export interface Validity {
  readonly from: number;
  readonly until: number | null;
}

/**
 * Returns for which dates each version of a memory counts. The date of a version is its own, else that of its document, else the
 * time when it was written; of equal dates the later version counts.
 * @param documentDate milliseconds since the epoch. Null: unknown
 */
export function validities(
  { versions }: Pick<RecordedMemory, 'versions'>,
  documentDate: number | null,
): readonly Validity[] {
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
