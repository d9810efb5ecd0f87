import type { LanguageTotals } from './queries.ts';

/** Returns totals as a reader does: most documents first, those of equal size by name. */
export const byDocuments = (documents: ReadonlyMap<string, number>): LanguageTotals[] =>
  [...documents]
    .map(([language, count]) => ({ language, documents: count }))
    .sort((a, b) => b.documents - a.documents || (a.language < b.language ? -1 : 1));
