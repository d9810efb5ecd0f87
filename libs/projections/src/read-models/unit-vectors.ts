import { embeddingTexts, type Live, vectorKey } from '#documents';
import type { QuantizedVector } from '#vector-cache';
import type { IndexedUnitVectors, Unit } from '#views';

/** Returns two keys for each unit: of its bare and of its wide form. Forms with the same text have the same key. */
export function keysOf(document: Live, space: string, units: readonly Unit[]): string[] {
  const keys = new Map<string, string>();
  const keyOf = (text: string) => {
    const known = keys.get(text) ?? vectorKey(space, document.organization, text);
    keys.set(text, known);
    return known;
  };
  return embeddingTexts(units, document.documentDate).flatMap(({ bare, wide }) => [keyOf(bare), keyOf(wide)]);
}

/** Returns null unless all are there: a document is searched by its meaning whole, or not at all. */
export function vectorsOf(
  keys: readonly string[],
  vectorOf: ReadonlyMap<string, QuantizedVector | null>,
): IndexedUnitVectors[] | null {
  const vectors: IndexedUnitVectors[] = [];
  for (let i = 0; i < keys.length; i += 2) {
    const [bare, wide] = [vectorOf.get(keys[i] as string), vectorOf.get(keys[i + 1] as string)];
    if (!bare || !wide) return null;
    vectors.push({ bare, wide });
  }
  return vectors;
}
