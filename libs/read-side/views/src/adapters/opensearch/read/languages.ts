import { ANALYSED_LANGUAGES } from '#features/search';
import { byDocuments } from '../../../language-totals.ts';
import type { LanguageTotals, UnitSearchQuery } from '../../../queries.ts';
import type { Body, Connection } from '../connection.ts';
import { IN_OTHER_LANGUAGE, inLanguage } from '../documents.ts';
import { inRankedScope } from '../terms.ts';

const FILTERS: Body = Object.fromEntries(ANALYSED_LANGUAGES.map((language) => [language, inLanguage(language)]));

/** What selects the units that are ranked among each other: tags of today, or a past time and the tags of then. */
export type RankedScope = Pick<UnitSearchQuery, 'scope' | 'asOf' | 'tagsThen'>;

/** Counts the documents of a scope that are analysed by the rules of each language other than English. */
export async function languageTotals(
  connection: Connection,
  index: string,
  ranked: RankedScope,
): Promise<LanguageTotals[]> {
  const [answer] = await connection.search([
    {
      index,
      body: {
        ...{ size: 0, track_total_hits: false, aggs: { languages: { filters: { filters: FILTERS } } } },
        query: { bool: { filter: [...inRankedScope(ranked), IN_OTHER_LANGUAGE] } },
      },
    },
  ]);
  const buckets = (answer?.aggregations?.languages?.buckets ?? {}) as Readonly<Record<string, { doc_count: number }>>;
  const counts = Object.entries(buckets).map(([language, { doc_count: count }]) => [language, count] as const);
  return byDocuments(new Map(counts.filter(([, count]) => count > 0)));
}
