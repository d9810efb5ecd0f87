import { fitsIntent, type QuestionForms } from '#features/search';
import type { QuestionVector, ViewsReader } from '#read-side/views';
import { inOrder, type ScoredHit, scored } from '../results.ts';
import type { Searched } from './query-rewriter.ts';

/** Added to the similarity by which results are ordered. The reported similarity is without them. */
const FITS_INTENT = 0.04;
const IN_PERIOD = 0.06;

export const textsOf = ({ forms }: QuestionForms): string[] => forms.map(({ text }) => text);

/**
 * Searches the forms of a question and merges what they find: a unit counts by the form with which it is most similar.
 * Units that hold what the question asks for, and those of documents of the time that it names, rise.
 * @param vectors of each form
 */
export async function findUnits(
  views: Pick<ViewsReader, 'search'>,
  query: Searched & { readonly limit: number },
  asked: QuestionForms,
  vectors: readonly (readonly QuestionVector[])[],
): Promise<readonly ScoredHit[]> {
  const found = await Promise.all(
    asked.forms.map(async ({ text }, i) => {
      const own = vectors[i] ?? [];
      return scored(await views.search({ ...query, question: text, vectors: own }));
    }),
  );
  return merged(asked, found);
}

interface Ranked {
  readonly hit: ScoredHit;
  readonly key: number;
}

/** @param found by each form, the best first */
function merged(asked: QuestionForms, found: readonly (readonly ScoredHit[])[]): readonly ScoredHit[] {
  const [first = []] = found;
  const { intent } = asked;
  if (intent === null) return first;
  const best = new Map<string, Ranked>();
  for (const [i, hits] of found.entries()) {
    const form = asked.forms[i];
    if (form === undefined) continue;
    for (const one of hits) {
      const fits = fitsIntent(intent, one.hit.unit.text);
      const key = one.similarity * form.weight + (fits ? FITS_INTENT : 0) + (isInPeriod(asked, one) ? IN_PERIOD : 0);
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

function isInPeriod({ period }: QuestionForms, { hit: { unit, document } }: ScoredHit): boolean {
  const date = unit.location?.date ?? document.documentDate;
  if (period === null || date === null) return false;
  const day = Date.parse(date.slice(0, 10));
  return day >= period.from && day <= period.to;
}
