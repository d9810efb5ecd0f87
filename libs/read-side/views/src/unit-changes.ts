import type { IndexedUnitVectors, Unit, UnitChanges, UnitKind, UnitSet } from './documents.ts';

export interface StoredUnit {
  readonly unit: Unit;
  /** Null where it has none, or those of another space. */
  readonly vectors: IndexedUnitVectors | null;
}

/**
 * Returns all units of a document after a change of single units.
 * @param stored what the document has now
 * @throws RangeError unless the ordinals of each kind run from 0 without a gap afterwards
 */
export function changedUnits(stored: readonly StoredUnit[], { put, remove, header, language }: UnitChanges): UnitSet {
  const gone = new Set([...remove, ...put.map(({ unit }) => unit.id)]);
  const kept = stored.filter(({ unit }) => !gone.has(unit.id));
  const all = [...kept, ...put].sort((a, b) => a.unit.ordinal - b.unit.ordinal);
  return {
    units: all.map(({ unit }) => unit),
    ...{ header, language: language ?? null },
    vectors: all.some(({ vectors }) => vectors !== null) ? all.map(({ vectors }) => vectors) : null,
  };
}

/** Returns one change of units for two that follow each other. */
export function combinedUnits(
  before: UnitSet | UnitChanges | null | undefined,
  after: UnitChanges,
): UnitSet | UnitChanges {
  if (before === undefined) return after;
  if (before === null) return changedUnits([], after);
  if (!('put' in before)) {
    const stored = before.units.map((unit, i) => ({ unit, vectors: before.vectors?.[i] ?? null }));
    return changedUnits(stored, after);
  }
  const later = new Set([...after.remove, ...after.put.map(({ unit }) => unit.id)]);
  const put = [...before.put.filter(({ unit }) => !later.has(unit.id)), ...after.put];
  return { put, remove: [...before.remove, ...after.remove], header: after.header, language: after.language ?? null };
}

export function checkOrdinals(kind: UnitKind, ordinals: readonly number[]): void {
  if (ordinals.some((ordinal, i) => ordinal !== i)) {
    throw new RangeError(`the ${kind} units of a document must have the ordinals 0 to ${ordinals.length - 1}`);
  }
}
