import type { TermQuery } from '../../../port.ts';
import type { Body, Connection } from '../connection.ts';
import { inScope } from '../terms.ts';
import { featureOf } from '../unit-json.ts';
import { INFO_ONLY } from '../units.ts';

/** Terms that are counted in one round trip; of more, those that occur are found first. */
const MOST_COUNTED = 64;
/** Below the limit of clauses of one query, which is 1,024. */
const MOST_CLAUSES = 900;
/** Units in which the terms are found. Those that hold the first terms come first. */
const UNITS = 40;

/** Counts the units in scope that hold each of some terms. */
export async function termFrequencies(
  connection: Connection,
  index: string,
  { scope, kind, terms }: TermQuery,
): Promise<readonly number[]> {
  if (scope.tags.length === 0 || terms.length === 0) return terms.map(() => 0);
  const filter = [...inScope(scope), { term: { kind } }];
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

/** Finds which of the terms occur in the scope. */
async function placesOfHeld(
  connection: Connection,
  index: string,
  filter: readonly Body[],
  terms: readonly number[],
): Promise<number[]> {
  const should = terms.slice(0, MOST_CLAUSES).map((term, place) => ({
    constant_score: { filter: { ...holds(term) }, boost: terms.length - place, _name: nameOf(place) },
  }));
  const body = {
    ...{ size: UNITS, ...INFO_ONLY, track_total_hits: false },
    query: { bool: { filter, should, minimum_should_match: 1 } },
  };
  const [answer] = await connection.scored([{ index, body }]);
  const names = new Set((answer?.hits.hits ?? []).flatMap(({ matched_queries: held }) => Object.keys(held ?? {})));
  return terms.flatMap((_, place) => (names.has(nameOf(place)) ? [place] : []));
}
