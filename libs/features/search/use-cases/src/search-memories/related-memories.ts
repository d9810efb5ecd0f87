import type { HitsAsOf } from '#read-side/as-of';
import type { Unit, ViewsReader } from '#read-side/views';
import { byPlace, readCut } from '../pipeline/cut-units.ts';
import type { CandidateQuery } from '../pipeline/search-plan.ts';
import type { MemoryResult } from './search-memories.query.ts';

/**
 * Returns for each result the memories before and after it in its document. Memories have no other relations yet, and
 * chunks and aggregates have none.
 * @param asOf null: the question is about the present
 */
export async function relatedMemories(
  views: Pick<ViewsReader, 'units' | 'documents'>,
  { scope, cutAt: at }: CandidateQuery,
  results: readonly MemoryResult[],
  asOf: HitsAsOf | null,
): Promise<readonly (readonly Unit[])[]> {
  const byDocument = Map.groupBy(results, ({ document }) => document.id);
  const rows = await views.documents(scope, [...byDocument.keys()]);
  const wanted = rows.map((document) => ({
    document,
    ordinals: [...new Set((byDocument.get(document.id) ?? []).flatMap(neighboursOf))],
  }));
  const unitAt = byPlace(await readCut(views, { scope, kind: 'memory', at }, wanted));
  return Promise.all(
    results.map(async (result) => {
      const { document } = result;
      const units = neighboursOf(result).flatMap((ordinal) => unitAt(document.id, ordinal) ?? []);
      const hits = units.map((unit) => ({ unit, document }));
      return asOf === null ? units : (await asOf.of(hits)).map(({ unit }) => unit);
    }),
  );
}

function neighboursOf({ unit: { kind, ordinal }, aggregate }: MemoryResult): readonly number[] {
  const isMemory = kind === 'memory' && aggregate === undefined;
  return isMemory ? [ordinal - 1, ordinal + 1].filter((place) => place >= 0) : [];
}
