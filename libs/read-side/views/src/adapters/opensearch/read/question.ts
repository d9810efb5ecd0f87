import { type FusionWeights, type PreparedQuery, prepareQuery, quantize, valuesOf, weightsOf } from '#features/search';
import { vectorOfQuery } from '../../../one-space.ts';
import type { UnitSearchQuery } from '../../../queries.ts';
import type { OneSpaceSearch, SpaceCondition } from '../../../several-spaces.ts';
import type { Aliases } from '../aliases.ts';
import type { Body } from '../connection.ts';
import { isNotLate } from '../late-units.ts';
import { type VectorFields, vectorFields } from '../mappings.ts';
import { createdBy, isFormer, isShown, validOn } from '../moments.ts';
import { anyOf } from '../term.ts';
import { documentKey, hasVectorsOf, inRankedScope, isPieceOf, restrictions, searchedOf } from '../terms.ts';
import { featureOf } from '../unit-json.ts';

/** Units of each leg that become candidates. */
const PER_LEG = 100;

export interface QuestionVector {
  /** Alias of the units of its space. Absent: there are none. */
  readonly alias: string;
  readonly fields: VectorFields;
  /** −127…127, as those of the units: cosines do not depend on lengths. */
  readonly values: readonly number[];
  /** Vector of the question's core. Null: not embedded. */
  readonly core: readonly number[] | null;
}

/** A search, translated for the index. */
export interface Question {
  readonly query: UnitSearchQuery;
  readonly prepared: PreparedQuery;
  readonly weights: FusionWeights;
  /** Conditions on units that count in the statistics. */
  readonly scope: readonly Body[];
  /** Beside these: that all units of their document are there. A scan needs it not: what it reads is written last. */
  readonly complete: Body;
  /** Further conditions on hits. */
  readonly restrictions: readonly Body[];
  readonly vector: QuestionVector | null;
  readonly perLeg: number;
  /** Names under which the count of each hash of the terms is returned with a hit. */
  readonly names: Readonly<Record<Form, readonly string[]>>;
}

/** A form of the units' words: the field of its counts. */
export type Form = 'bare' | 'wide' | 'whole';

/** @param languages of the scope, English apart, the most frequent first */
export function questionOf(
  { query, candidates }: OneSpaceSearch,
  aliases: Aliases,
  languages: readonly string[],
): Question {
  const vector = vectorOfQuery(query);
  const core = vector?.core ?? null;
  const prepared = prepareQuery(query.question, vector?.values ?? null, { core, languages });
  const restricted = [
    ...restrictions(query),
    ...searchedOf(query.holds),
    isShown(query),
    ...createdBy(query),
    ...validOn(query),
  ];
  if (candidates !== null) restricted.push(inSpaces(candidates));
  if (query.documentId !== null) {
    const { organization } = query.scope;
    const own = { term: { document: documentKey(organization, query.documentId) } };
    restricted.push(anyOf([own, isPieceOf(organization, query.documentId)]));
  }
  return {
    query,
    prepared,
    weights: weightsOf(query.kind, vectorOfQuery(query)?.space ?? null),
    scope: [...inRankedScope(query), { term: { kind: query.kind } }, ...present(query)],
    complete: isNotLate(aliases),
    restrictions: restricted,
    vector: vectorOf(query, prepared, aliases),
    perLeg: Math.max(PER_LEG, query.limit),
    names: { bare: namesOf('b', prepared), wide: namesOf('w', prepared), whole: namesOf('d', prepared) },
  };
}

/** Conditions: earlier versions do not count, unless the question is about a past time or a date. */
const present = ({ asOf, validAt }: UnitSearchQuery): Body[] =>
  asOf === undefined && validAt === undefined ? [{ bool: { must_not: [isFormer] } }] : [];

const inSpaces = (condition: SpaceCondition): Body =>
  'has' in condition
    ? { bool: { filter: [hasVectorsOf([condition.has])], must_not: [hasVectorsOf(condition.lacks)] } }
    : anyOf([hasVectorsOf([condition.prefers]), { bool: { must_not: [hasVectorsOf(condition.others)] } }]);

/** Returns a question of which these units are not hits. @param ids of their rows */
export const withoutUnits = (question: Question, ids: readonly string[]): Question =>
  ids.length === 0
    ? question
    : { ...question, restrictions: [...question.restrictions, { bool: { must_not: [{ ids: { values: ids } }] } }] };

const namesOf = (letter: string, { hashes }: PreparedQuery): string[] => hashes.map((_, place) => letter + place);

function vectorOf(query: UnitSearchQuery, prepared: PreparedQuery, aliases: Aliases): QuestionVector | null {
  const vector = vectorOfQuery(query);
  if (vector === null || prepared.vector === null) return null;
  return {
    alias: aliases.ofSpace(vector.space),
    fields: vectorFields(vector.space),
    values: [...valuesOf(quantize(vector.values))],
    core: prepared.core === null || vector.core === undefined ? null : [...valuesOf(quantize(vector.core))],
  };
}

export const candidatesOf = ({ scope, complete, restrictions: own }: Question): Body[] => [...scope, complete, ...own];

/** Condition: holds one of the question's terms. */
export const holdsTerm = ({ prepared }: Question, form: Form, term: number): Body =>
  holdsOneOf(form, prepared.terms[term]?.hashes ?? []);

const holdsOneOf = (form: Form, hashes: readonly number[]): Body => {
  const [only, ...others] = hashes.map((hash) => ({ rank_feature: { field: fieldOf(form, hash), linear: {} } }));
  return only !== undefined && others.length === 0 ? only : anyOf(only === undefined ? [] : [only, ...others]);
};

/** Part of a condition: of the rows with words of a document, not its first one. */
export const IS_FURTHER = { must_not: [{ exists: { field: 'wholeLength' } }] };

export const holdsAny = ({ prepared }: Question, form: Form): Body => holdsOneOf(form, prepared.hashes);

/**
 * BM25 without text lengths: they require the average of the scope, which no query can name. It only selects
 * candidates; their scores are exact.
 * @param gains the largest gain of each term
 */
export function lexicalLeg(question: Question, form: Form, gains: ArrayLike<number>): Body[] {
  return question.prepared.terms.flatMap(({ hashes }, term) =>
    hashes.map((hash) => ({
      rank_feature: {
        field: fieldOf(form, hash),
        saturation: { pivot: SATURATION },
        // A word that every unit holds has a boost of nearly zero, which must not be zero.
        boost: Math.max(gains[term] as number, Number.EPSILON),
      },
    })),
  );
}

/** k1 of the ranking, for a text of average length. */
const SATURATION = 0.9;

/** Clauses whose scores, returned with each hit, are its counts of the hashes of the terms. */
export const countsOf = ({ prepared, names }: Question, form: Form): Body[] =>
  prepared.hashes.map((hash, place) => ({
    rank_feature: { field: fieldOf(form, hash), linear: {}, _name: names[form][place] },
  }));

const fieldOf = (form: Form, hash: number): string => `${form}.${featureOf(hash)}`;

/** Clauses whose scores, returned with each hit, are one more than its cosines. */
export function cosinesOf({ vector }: Question): Body[] {
  if (vector === null) return [];
  const of = (field: string, _name: string, source: string, values = vector.values): Body => ({
    script_score: {
      _name,
      query: { exists: { field } },
      script: { lang: 'painless', source, params: { vector: values, field, all: vector.fields.all } },
    },
  });
  const { bare, wide } = vector.fields;
  return [
    ...[of(bare, COSINE_BARE, NEAREST), of(wide, COSINE_WIDE, ONLY)],
    ...(vector.core === null ? [] : [of(bare, COSINE_CORE, ONLY, vector.core)]),
  ];
}

const ONLY = '1.0 + cosineSimilarity(params.vector, doc[params.field])';

/** Of a unit with several vectors, the cosine of the nearest one. */
const NEAREST = `
  if (!doc.containsKey(params.all) || doc[params.all].size() == 0) return ${ONLY};
  BytesRef all = doc[params.all].get(0);
  int dimensions = params.vector.size();
  double own = 0;
  for (int d = 0; d < dimensions; ++d) { int v = (int) params.vector.get(d); own += v * v; }
  double nearest = -1;
  for (int at = all.offset; at < all.offset + all.length; at += dimensions) {
    double dot = 0;
    double squares = 0;
    for (int d = 0; d < dimensions; ++d) {
      int value = all.bytes[at + d];
      dot += value * (int) params.vector.get(d);
      squares += value * value;
    }
    if (squares > 0) nearest = Math.max(nearest, dot / Math.sqrt(squares * own));
  }
  return 1.0 + nearest;
`;

export const COSINE_BARE = 'cb';
export const COSINE_WIDE = 'cw';
export const COSINE_CORE = 'cc';
/** Offset of a named cosine: no score may be negative. */
export const COSINE_OFFSET = 1;

/** Clauses that are only returned with the hits, and affect neither which there are nor their order. */
export const readBeside = (clauses: readonly Body[]): Body => ({
  bool: { filter: [{ match_all: {} }], should: clauses },
});
