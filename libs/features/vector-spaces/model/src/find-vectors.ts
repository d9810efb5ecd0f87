import type { QuantizedVector } from '#ports/vector-store';
import type { IndexedUnitVectors } from '#read-side/views';
import type { UnitKeys } from './embedded-texts.ts';

/** Where vectors are looked up. Answers in the order of the keys; null: no vector. */
export interface VectorSource {
  get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]> | readonly (QuantizedVector | null)[];
}

/**
 * Looks up the vectors of several documents at once.
 * @param documents keys of each document's units; null: none is wanted
 * @returns in their order. Null unless every unit has its vectors: a document is searched by its meaning whole, or not at all
 */
export async function findVectors(
  source: VectorSource,
  documents: readonly (readonly UnitKeys[] | null)[],
): Promise<readonly (readonly IndexedUnitVectors[] | null)[]> {
  const keys = new Set<string>();
  for (const units of documents) {
    for (const { bare, wide } of units ?? []) {
      for (const key of bare) keys.add(key);
      if (wide !== null) keys.add(wide);
    }
  }
  const wanted = [...keys];
  const found = wanted.length === 0 ? [] : await source.get(wanted);
  const vectorOf = new Map(wanted.map((key, i) => [key, found[i] ?? null]));
  return documents.map((units) => units && vectorsOf(units, vectorOf));
}

function vectorsOf(
  units: readonly UnitKeys[],
  vectorOf: ReadonlyMap<string, QuantizedVector | null>,
): IndexedUnitVectors[] | null {
  const vectors: IndexedUnitVectors[] = [];
  for (const keys of units) {
    const [bare, ...others] = keys.bare.map((key) => vectorOf.get(key) ?? null);
    const wide = keys.wide === null ? null : vectorOf.get(keys.wide);
    if (!bare || wide === undefined || (keys.wide !== null && wide === null)) return null;
    if (!others.every((vector) => vector !== null)) return null;
    const { tokens } = keys;
    vectors.push({ bare, wide, ...(others.length > 0 && { others }), ...(tokens > 0 && { tokens }) });
  }
  return vectors;
}
