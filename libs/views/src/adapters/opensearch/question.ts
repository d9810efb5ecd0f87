import { type PreparedQuery, prepareQuery, quantize, valuesOf } from '#search';
import { vectorOfQuery } from '../../one-space.ts';
import type { UnitSearchQuery } from '../../port.ts';
import type { Body } from './connection.ts';
import type { Aliases } from './indices.ts';
import { vectorFields } from './mappings.ts';
import { anyOf, documentKey, inScope, restrictions } from './terms.ts';
import { featureOf } from './unit-json.ts';

/** Best units of each leg that become candidates. */
const PER_LEG = 100;

export interface QuestionVector {
  /** Alias of the units of its space; absent while there are none. */
  readonly alias: string;
  readonly fields: { readonly bare: string; readonly wide: string };
  /** −127…127, as those of the units: a cosine does not ask for lengths. */
  readonly values: readonly number[];
}

/** A search in the terms of the index. */
export interface Question {
  readonly query: UnitSearchQuery;
  readonly prepared: PreparedQuery;
  /** Units whose words count in the statistics. */
  readonly scope: readonly Body[];
  /** What a unit has to meet beside, to be found. */
  readonly restrictions: readonly Body[];
  readonly vector: QuestionVector | null;
  readonly perLeg: number;
  /** Under which each term's count is read beside a hit. */
  readonly names: Readonly<Record<Form, readonly string[]>>;
}

/** A form of the units' words, and the field of its counts. */
export type Form = 'bare' | 'wide' | 'whole';

export function questionOf(query: UnitSearchQuery, aliases: Aliases): Question {
  const prepared = prepareQuery(query.question, vectorOfQuery(query)?.values ?? null);
  const restricted = restrictions(query);
  if (query.documentId !== null) {
    restricted.push({ term: { document: documentKey(query.scope.organization, query.documentId) } });
  }
  return {
    query,
    prepared,
    scope: [...inScope(query.scope), { term: { kind: query.kind } }],
    restrictions: restricted,
    vector: vectorOf(query, prepared, aliases),
    perLeg: Math.max(PER_LEG, query.limit),
    names: { bare: namesOf('b', prepared), wide: namesOf('w', prepared), whole: namesOf('d', prepared) },
  };
}

const namesOf = (letter: string, { terms }: PreparedQuery): string[] => terms.map((_, term) => letter + term);

function vectorOf(query: UnitSearchQuery, prepared: PreparedQuery, aliases: Aliases): QuestionVector | null {
  const vector = vectorOfQuery(query);
  if (vector === null || prepared.vector === null) return null;
  return {
    alias: aliases.ofSpace(vector.space),
    fields: vectorFields(vector.space),
    values: [...valuesOf(quantize(vector.values))],
  };
}

export const candidatesOf = ({ scope, restrictions: own }: Question): Body[] => [...scope, ...own];

/** Holds one of the question's terms. */
export const holdsTerm = (question: Question, form: Form, term: number): Body => ({
  rank_feature: { field: fieldOf(question, form, term), linear: {} },
});

export const holdsAny = (question: Question, form: Form): Body =>
  anyOf(question.prepared.terms.map((_, term) => holdsTerm(question, form, term)));

/**
 * BM25 without the lengths of the texts: they would need the average of the scope, which no query can name. It only picks
 * candidates, their scores are exact.
 * @param gains what each term can add at most
 */
export function lexicalLeg(question: Question, form: Form, gains: ArrayLike<number>): Body[] {
  return question.prepared.terms.map((_, term) => ({
    rank_feature: {
      field: fieldOf(question, form, term),
      saturation: { pivot: SATURATION },
      // A word that everything holds has a boost of nearly zero, which may not be zero.
      boost: Math.max(gains[term] as number, Number.EPSILON),
    },
  }));
}

/** k1 of the ranking: what a text of average length adds to a count. */
const SATURATION = 0.9;

/** Clauses whose score, read beside each hit, is how often it holds each term. */
export const countsOf = (question: Question, form: Form): Body[] =>
  question.prepared.terms.map((_, term) => ({
    rank_feature: { field: fieldOf(question, form, term), linear: {}, _name: question.names[form][term] },
  }));

function fieldOf({ prepared }: Question, form: Form, term: number): string {
  return `${form}.${featureOf(prepared.terms[term]?.hash as number)}`;
}

/** Clauses whose score, read beside each hit, is one more than the cosine. */
export function cosinesOf({ vector }: Question): Body[] {
  if (vector === null) return [];
  const of = (field: string, _name: string): Body => ({
    script_score: {
      _name,
      query: { exists: { field } },
      script: {
        lang: 'painless',
        source: '1.0 + cosineSimilarity(params.vector, doc[params.field])',
        params: { vector: vector.values, field },
      },
    },
  });
  return [of(vector.fields.bare, COSINE_BARE), of(vector.fields.wide, COSINE_WIDE)];
}

export const COSINE_BARE = 'cb';
export const COSINE_WIDE = 'cw';
/** What a named cosine is above the cosine: no score may be negative. */
export const COSINE_OFFSET = 1;

/** Clauses that are only read beside the hits, and change neither which there are nor their order. */
export const readBeside = (clauses: readonly Body[]): Body => ({
  bool: { filter: [{ match_all: {} }], should: clauses },
});
