import type { HitsAsOf } from '#read-side/as-of';
import type { Unit, ViewsReader } from '#read-side/views';
import { byPlace, readChunks } from '../pipeline/cut-units.ts';
import type { CandidateQuery } from '../pipeline/search-plan.ts';
import type { DocumentHit } from './group-passages.ts';

/**
 * Returns for each passage of each document the chunks before and after it that are no hits, each once.
 * @param asOf null: the question is about the present
 */
export async function neighboursOf(
  views: Pick<ViewsReader, 'units' | 'documents'>,
  query: CandidateQuery,
  found: readonly DocumentHit[],
  asOf: HitsAsOf | null,
): Promise<readonly (readonly (readonly Unit[])[])[]> {
  const around = found.map((one) => ({ document: one.document, places: placesAround(one) }));
  // The row of a hit of a piece does not say what else is cut, nor that of a unit that has left.
  const others = found.filter(({ passages }) => passages.some(({ hit }) => hit.isCut || hit.hasLeft));
  const ids = others.map(({ document }) => document.id);
  const rows = new Map((ids.length === 0 ? [] : await views.documents(query.scope, ids)).map((row) => [row.id, row]));
  const wanted = around.map(({ document, places }) => ({
    document: rows.get(document.id) ?? document,
    ordinals: places.flat(),
  }));
  const unitAt = byPlace(await readChunks(views, query, wanted, asOf));
  return around.map(({ document: { id }, places }) =>
    places.map((ordinals) => ordinals.flatMap((ordinal) => unitAt(id, ordinal) ?? [])),
  );
}

function placesAround({ passages }: DocumentHit): readonly (readonly number[])[] {
  const shown = new Set(passages.map(({ hit }) => hit.unit.ordinal));
  return passages.map(({ hit: { unit } }) =>
    [unit.ordinal - 1, unit.ordinal + 1].filter((ordinal) => {
      const isNew = ordinal >= 0 && !shown.has(ordinal);
      shown.add(ordinal);
      return isNew;
    }),
  );
}
