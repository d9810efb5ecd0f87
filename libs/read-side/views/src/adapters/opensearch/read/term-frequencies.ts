import type { TermQuery } from '../../../queries.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { isNotLate } from '../late-units.ts';
import { inScope } from '../terms.ts';
import { INFO_ONLY } from '../unit-hits.ts';
import { featureOf } from '../unit-json.ts';

/** Terms that are counted in one round trip; of more, those that occur are found first. */
const MOST_COUNTED = 64;
const MOST_SOUGHT = 900;
/** Terms of one query that finds those that occur. A frequent term hides only the terms of its own query. */
const SOUGHT_TOGETHER = 60;
/** Units of one query in which terms are found. */
const UNITS = 40;

/** Counts the units in scope that hold each of some terms. */
export async function termFrequencies(
  connection: Connection,
  aliases: Aliases,
  { scope, kind, terms }: TermQuery,
): Promise<readonly number[]> {
  if (scope.tags.length === 0 || terms.length === 0) return terms.map(() => 0);
  const index = aliases.of('units');
  const filter = [...inScope(scope), { term: { kind } }, isNotLate(aliases)];
  const places = terms.map((_, place) => place);
  const counted = terms.length <= MOST_COUNTED ? places : await placesOfHeld(connection, index, filter, terms);
  const counts = terms.map(() => 0);
  if (counted.length === 0) return counts;
  const filters = Object.fromEntries(counted.map((place) => [nameOf(place), holds(terms[place] as number)]));
  const body = {
    ...{ size: 0, track_total_hits: false, query: { bool: { filter } } },
    aggs: { frequencies: { filters: { filters } } },
  };
  const [answer] = await connection.search([{ index, body }]);
  const buckets = (answer?.aggregations?.frequencies?.buckets ?? {}) as Readonly<Record<string, { doc_count: number }>>;
  for (const place of counted) counts[place] = buckets[nameOf(place)]?.doc_count ?? 0;
  return counts;
}

const nameOf = (place: number): string => `t${place}`;

const fieldOf = (term: number): string => `bare.${featureOf(term)}`;

const holds = (term: number): Body => ({ rank_feature: { field: fieldOf(term), linear: {} } });

/** Finds which of the terms occur in the scope. Of those in one query, the first come first. */
async function placesOfHeld(
  connection: Connection,
  index: string,
  filter: readonly Body[],
  terms: readonly number[],
): Promise<number[]> {
  const named = terms.slice(0, MOST_SOUGHT).map((term, place) => ({
    constant_score: { filter: { ...holds(term) }, boost: MOST_SOUGHT - place, _name: nameOf(place) },
  }));
  const searches = Array.from({ length: Math.ceil(named.length / SOUGHT_TOGETHER) }, (_, at) => {
    const queries = named.slice(at * SOUGHT_TOGETHER, (at + 1) * SOUGHT_TOGETHER);
    // The highest boost decides. A sum would prefer units that hold several unlikely terms.
    const query = { bool: { filter, must: { dis_max: { queries } } } };
    return { index, body: { ...{ size: UNITS, ...INFO_ONLY, track_total_hits: false }, query } };
  });
  const hits = (await connection.scored(searches)).flatMap((answer) => answer.hits.hits);
  const names = new Set(hits.flatMap(({ matched_queries: held }) => Object.keys(held ?? {})));
  return terms.flatMap((_, place) => (names.has(nameOf(place)) ? [place] : [])).slice(0, MOST_COUNTED);
}
