import type { Scope } from '#kernel';
import { byDocuments } from '../../../language-totals.ts';
import type { LanguageTotals } from '../../../port.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { IN_OTHER_LANGUAGE, inLanguage, rowFrom } from '../documents.ts';
import { inScope } from '../terms.ts';

/**
 * Counts the documents of each language other than English, in a round trip for each language that was not known before and
 * one more. The index holds hashes of languages; a document has the name of its own.
 * @param known languages that are counted at once
 */
export async function languageTotals(
  connection: Connection,
  index: string,
  scope: Scope,
  known: ReadonlySet<string>,
): Promise<LanguageTotals[]> {
  const counted = new Map<string, number>();
  for (let languages = known; ; ) {
    const { counts, other } = await count(connection, index, scope, languages);
    for (const [language, documents] of counts) if (documents > 0) counted.set(language, documents);
    if (other === null || counted.has(other)) return byDocuments(counted);
    languages = new Set([...languages, other]);
  }
}

/** `other`: the language of a document that is in none of these. */
async function count(
  connection: Connection,
  index: string,
  scope: Scope,
  languages: ReadonlySet<string>,
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly other: string | null }> {
  const filters: Body = Object.fromEntries([...languages].map((language) => [language, inLanguage(language)]));
  const aggs: Body = languages.size === 0 ? {} : { languages: { filters: { filters } } };
  const others = { bool: { must_not: [...languages].map(inLanguage) } };
  const [answer] = await connection.search([
    {
      index,
      body: {
        ...{ size: 1, track_total_hits: false, _source: ['row'], aggs },
        query: { bool: { filter: [...inScope(scope), IN_OTHER_LANGUAGE] } },
        post_filter: others,
      },
    },
  ]);
  const buckets = (answer?.aggregations?.languages?.buckets ?? {}) as Readonly<Record<string, { doc_count: number }>>;
  const hit = answer?.hits.hits[0] as Hit<{ readonly row: string }> | undefined;
  return {
    counts: new Map([...languages].map((language) => [language, buckets[language]?.doc_count ?? 0])),
    other: hit === undefined ? null : rowFrom(hit._source.row).language,
  };
}
