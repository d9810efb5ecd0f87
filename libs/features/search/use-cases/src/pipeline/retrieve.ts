import type { HitsAsOf } from '#read-side/as-of';
import type { QuestionVector, UnitHit, UnitKind, UnitSearchQuery, ViewsReader } from '#read-side/views';
import type { HitLimits, SearchPlan } from './search-plan.ts';

/** A form of a question with its vectors. */
export interface EmbeddedForm {
  readonly text: string;
  readonly vectors: readonly QuestionVector[];
}

/**
 * Returns the hits of each kind of units, and of each form among these, the best first.
 * @param limit hits of each kind
 * @param asOf null: the question is about the present
 */
export function retrieve(
  views: Pick<ViewsReader, 'search'>,
  { query, kinds, limits }: Pick<SearchPlan, 'query' | 'kinds' | 'limits'>,
  forms: readonly EmbeddedForm[],
  limit: number,
  asOf: HitsAsOf | null,
): Promise<readonly (readonly (readonly UnitHit[])[])[]> {
  const queryOf = (kind: UnitKind, { text, vectors }: EmbeddedForm): UnitSearchQuery => ({
    ...{ ...query, kind, question: text },
    vectors: kind === 'memory' ? vectors : withoutCore(vectors),
    limit: kind === 'chunk' ? Math.max(limit, limits.leastChunks) : limit,
  });
  return Promise.all(
    kinds.map((kind) => Promise.all(forms.map((form) => search(views, queryOf(kind, form), limits.checked, asOf)))),
  );
}

/** Of a question about a past time, more hits are checked until enough of them were known then. */
async function search(
  views: Pick<ViewsReader, 'search'>,
  query: UnitSearchQuery,
  { perHit, most }: HitLimits['checked'],
  asOf: HitsAsOf | null,
): Promise<readonly UnitHit[]> {
  if (asOf === null) return views.search(query);
  const limit = Math.max(query.limit, Math.min(most, query.limit * perHit));
  return asOf.of(await views.search({ ...query, limit }), query.limit);
}

/** Chunks have no speakers. */
const withoutCore = (vectors: readonly QuestionVector[]): readonly QuestionVector[] =>
  vectors.map(({ space, values }) => ({ space, values }));
