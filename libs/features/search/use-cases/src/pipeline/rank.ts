import { fitsIntent, type QuestionForms, sharesOf, similarity, totalOf } from '#features/search';
import type { UnitHit } from '#read-side/views';
import { inOrder, type ScoredHit } from './scored-hits.ts';

/** Added to the similarity by which results are ordered. The reported similarity is without them. */
const FITS_INTENT = 0.04;
const IN_PERIOD = 0.06;

interface RankedHit {
  readonly hit: ScoredHit;
  readonly key: number;
}

/**
 * Scores the hits of each kind of units and merges those of the forms of a question: a unit counts by the form with which it
 * is most similar. Units that hold what the question asks for, and those of documents of the time that it names, rise.
 * @param found of each kind, by each form, the best first
 */
export const rank = (
  question: QuestionForms,
  found: readonly (readonly (readonly UnitHit[])[])[],
): readonly (readonly ScoredHit[])[] => found.map((ofForms) => merged(question, ofForms));

function merged(question: QuestionForms, found: readonly (readonly UnitHit[])[]): readonly ScoredHit[] {
  const { intent, forms } = question;
  if (intent === null) return scored(found[0] ?? []);
  const best = new Map<string, RankedHit>();
  for (const [i, form] of forms.entries()) {
    for (const one of scored(found[i] ?? [])) {
      const fits = fitsIntent(intent, one.hit.unit.text);
      const key =
        one.similarity * form.weight + (fits ? FITS_INTENT : 0) + (isInPeriod(question, one.hit) ? IN_PERIOD : 0);
      const present = best.get(one.hit.unit.id);
      const explanation = { ...one.explanation, form: form.text, fitsIntent: fits };
      const ranked = present !== undefined && present.key >= key ? present : { key, hit: { ...one, explanation } };
      const own = Math.max(one.own * form.weight, present?.hit.own ?? 0);
      best.set(one.hit.unit.id, { key: ranked.key, hit: { ...ranked.hit, own } });
    }
  }
  return inOrder(
    [...best.values()]
      .sort((a, b) => b.key - a.key)
      .map(({ hit, key }) => ({ ...hit, orderedBy: 'forms' as const, order: key })),
  );
}

/** Order stays that of the fused score; the similarity comes from each hit's own evidence. */
function scored(hits: readonly UnitHit[]): ScoredHit[] {
  return inOrder(
    hits.map((hit) => {
      const { space, features, evidence } = hit;
      return {
        hit,
        ...(features === null
          ? { orderedBy: 'score' as const, order: hit.score }
          : { orderedBy: 'features' as const, order: totalOf(features, space) }),
        own: similarity(evidence, space),
        explanation: {
          cosine: evidence.cosineBare,
          cosineWide: evidence.cosineWide,
          coverage: evidence.coverage,
          ranking: features === null ? null : sharesOf(features, space),
        },
      };
    }),
  );
}

function isInPeriod({ period }: QuestionForms, { unit, document }: UnitHit): boolean {
  const date = unit.location?.date ?? document.documentDate;
  if (period === null || date === null) return false;
  const day = Date.parse(date.slice(0, 10));
  return day >= period.from && day <= period.to;
}
