import { meanOf, type UnitVectors, valuesOf, wideAt } from '#features/search';
import type { QuantizedVector } from '#ports/vector-store';
import type { VectorFields } from './mappings.ts';
import { vectorJson } from './unit-json.ts';

/** What the index searches of a unit's vectors. */
export interface SearchedVectors {
  /** The vector of the unit, or the mean of all that it has. Null: it has none. */
  readonly bare: QuantizedVector | null;
  readonly wide: QuantizedVector | null;
  /** Those of a unit that has several. */
  readonly all: readonly QuantizedVector[];
}

/** Returns what is searched of the unit at a place among all of its kind. */
export function searchedAt(units: readonly UnitVectors[], place: number): SearchedVectors {
  const { bare = null, others = [] } = units[place] ?? {};
  const all = bare === null || others.length === 0 ? [] : [bare, ...others];
  return { bare: all.length === 0 ? bare : meanOf(all), wide: wideAt(units, place), all };
}

/** Returns the fields in which a unit's vectors are searched; each begins with a comma. */
export function vectorsJson(fields: VectorFields, { bare, wide, all }: SearchedVectors): string {
  const bareJson = bare && vectorJson(valuesOf(bare));
  const wideJson = wide === bare ? bareJson : wide && vectorJson(valuesOf(wide));
  const values = all.length === 0 ? null : bytesOf(all);
  return (
    (bareJson ? `,"${fields.bare}":${bareJson}` : '') +
    (wideJson ? `,"${fields.wide}":${wideJson}` : '') +
    (values ? `,"${fields.all}":"${values}"` : '')
  );
}

/** The values of vectors one after the other, as the index stores bytes. */
const bytesOf = (vectors: readonly QuantizedVector[]): string =>
  Buffer.concat(vectors.map((vector) => Buffer.from(Int8Array.from(valuesOf(vector)).buffer))).toString('base64');
