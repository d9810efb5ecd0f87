import type { FormStatistics, ScopeStatistics } from '#features/search';
import type { Aliases } from '../aliases.ts';
import type { Aggregation, Body, Connection, Search, SearchAnswer } from '../connection.ts';
import { INFO_ONLY, infoOf } from '../unit-hits.ts';
import { featureOf } from '../unit-json.ts';
import { type Form, holdsAny, holdsTerm, IS_FURTHER, type Question, type QuestionVector } from './question.ts';

/** Number of candidates, and of those that hold a word of the question. */
export interface CandidateCounts {
  readonly units: number;
  /** Alone, and with their context. */
  readonly unitsWithWords: number;
  readonly wideUnitsWithWords: number;
  readonly documents: number;
  readonly documentsWithWords: number;
  /** Rows with a word of the question beside the first one of their document. They count in `documentsWithWords`. */
  readonly furtherRows: number;
}

/** The nearest units to the question by one form of the vectors. */
export interface NearUnits {
  /** Ids of units. */
  readonly nearest: readonly string[];
  /** Extreme cosines. Null: no candidate has such a vector. */
  readonly highest: number | null;
  readonly lowest: number | null;
}

export interface Statistics {
  readonly scope: ScopeStatistics;
  readonly candidates: CandidateCounts;
  readonly bare: NearUnits;
  readonly wide: NearUnits;
}

/** Hits requested at the far end, of which one is used: this many are visited on the way. */
const FARTHEST = 10;

/** Reads in one round trip the statistics of the scope, as if nothing else were in the index, and the nearest units. */
export async function countStatistics(
  connection: Connection,
  aliases: Aliases,
  question: Question,
): Promise<Statistics> {
  const { vector } = question;
  const searches: Search[] = [{ index: aliases.of('units'), body: statisticsBody(question) }];
  if (vector !== null) {
    const away = vector.values.map((value) => (value === 0 ? 0 : -value));
    for (const field of [vector.fields.bare, vector.fields.wide]) {
      searches.push(nearest(question, vector, field, vector.values, question.perLeg));
      searches.push(nearest(question, vector, field, away, FARTHEST));
    }
  }
  const [statistics, bare, notBare, wide, notWide] = await connection.search(searches);
  return { ...counted(question, statistics as SearchAnswer), bare: near(bare, notBare), wide: near(wide, notWide) };
}

function nearest(
  question: Question,
  { alias }: QuestionVector,
  field: string,
  vector: readonly number[],
  k: number,
): Search {
  // Units that are written late have no vectors.
  const filter = { bool: { filter: [...question.scope, ...question.restrictions] } };
  const body = { size: k, ...INFO_ONLY, track_total_hits: false, query: { knn: { [field]: { vector, k, filter } } } };
  return { index: alias, optional: true, body };
}

function near(toward: SearchAnswer | undefined, away: SearchAnswer | undefined): NearUnits {
  const hits = toward?.hits.hits ?? [];
  const farthest = away?.hits.hits[0];
  return {
    nearest: hits.map((hit) => infoOf(hit).id),
    highest: hits[0] === undefined ? null : cosineOf(hits[0]._score as number),
    lowest: farthest === undefined ? null : -cosineOf(farthest._score as number),
  };
}

/** Lucene's score of a cosine is never negative. */
const cosineOf = (score: number): number => 2 * score - 1;

const FORMS: readonly Form[] = ['bare', 'wide', 'whole'];

function statisticsBody(question: Question): Body {
  const { prepared, restrictions } = question;
  const frequencies = FORMS.flatMap((form) =>
    prepared.terms.map((_, term) => [form + term, holdsTerm(question, form, term)] as const),
  );
  const candidates = {
    units: { filter: { bool: { filter: [...restrictions] } } },
    ...(prepared.terms.length > 0 && {
      unitsWithWords: { filter: restricted(restrictions, holdsAny(question, 'bare')) },
      wideUnitsWithWords: { filter: restricted(restrictions, holdsAny(question, 'wide')) },
    }),
    documents: { filter: restricted(restrictions, { exists: { field: 'wholeLength' } }) },
    ...(prepared.terms.length > 0 && {
      documentsWithWords: { filter: restricted(restrictions, holdsAny(question, 'whole')) },
      furtherRows: { filter: { bool: { filter: [...restrictions, holdsAny(question, 'whole')], ...IS_FURTHER } } },
    }),
  };
  return {
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: [...question.scope, question.complete] } },
    aggs: {
      bareLength: { sum: { field: 'bareLength' } },
      wideLength: { sum: { field: 'wideLength' } },
      wholeLength: { sum: { field: 'wholeLength' } },
      texts: { value_count: { field: 'wholeLength' } },
      ...(frequencies.length > 0 && { frequencies: { filters: { filters: Object.fromEntries(frequencies) } } }),
      ...(prepared.words.size > 0 && {
        speakers: {
          filter: { terms: { speaker: [...prepared.words].map(featureOf) } },
          // Exactly one named speaker counts.
          aggs: { named: { terms: { field: 'speaker', size: 2 } } },
        },
      }),
      ...candidates,
    },
  };
}

const restricted = (restrictions: readonly Body[], query: Body): Body => ({
  bool: { filter: [...restrictions, query] },
});

function counted(
  question: Question,
  { hits, aggregations = {} }: SearchAnswer,
): Pick<Statistics, 'scope' | 'candidates'> {
  const number = (name: string) => aggregations[name]?.value ?? 0;
  const count = (name: string) => aggregations[name]?.doc_count ?? 0;
  const frequencies = (aggregations.frequencies?.buckets ?? {}) as Readonly<Record<string, { doc_count: number }>>;
  const form = (name: Form, texts: number): FormStatistics => ({
    texts,
    terms: number(`${name}Length`),
    documentFrequencies: question.prepared.terms.map((_, term) => frequencies[name + term]?.doc_count ?? 0),
  });
  const units = hits.total?.value ?? 0;
  return {
    scope: {
      bare: form('bare', units),
      wide: form('wide', units),
      document: form('whole', number('texts')),
      speakers: new Set(namedSpeakers(aggregations.speakers)),
    },
    candidates: {
      units: count('units'),
      unitsWithWords: count('unitsWithWords'),
      wideUnitsWithWords: count('wideUnitsWithWords'),
      documents: count('documents'),
      documentsWithWords: count('documentsWithWords'),
      furtherRows: count('furtherRows'),
    },
  };
}

function namedSpeakers(speakers: (Aggregation & { named?: Aggregation }) | undefined): number[] {
  const buckets = (speakers?.named?.buckets ?? []) as readonly { readonly key: string }[];
  return buckets.map(({ key }) => Number.parseInt(key, 36));
}
