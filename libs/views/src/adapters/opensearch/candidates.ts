import type { HeldTerms, ScopeRanking, ScoredUnit } from '#search';
import type { Body, Connection, Hit } from './connection.ts';
import type { Aliases } from './indices.ts';
import {
  COSINE_BARE,
  COSINE_OFFSET,
  COSINE_WIDE,
  candidatesOf,
  cosinesOf,
  countName,
  countsOf,
  type Form,
  lexicalLeg,
  type Question,
  readBeside,
} from './question.ts';
import type { Counted } from './statistics.ts';
import { infoFrom, placeOfUnit, type UnitPlace } from './units.ts';

/** Documents among which the best one is looked for. */
const DOCUMENTS = 30;

export interface Candidate extends ScoredUnit, UnitPlace {
  readonly id: string;
}

/**
 * One round trip: the best units by their words, and those that lie nearest, each with what the ranking asks of it; and
 * the best documents by their words. Where there are few candidates, all of them.
 */
export async function findCandidates(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  counted: Counted,
  ranking: ScopeRanking,
): Promise<{ readonly units: readonly Candidate[]; readonly documents: readonly HeldTerms[] }> {
  const index = aliases.of('units');
  const lexical = question.prepared.terms.length > 0;
  const searches = [{ index, body: unitsBody(question, counted, ranking) }];
  if (lexical) searches.push({ index, body: documentsBody(question, counted, ranking) });
  const [units, documents] = await connection.scored(searches);
  return {
    units: (units?.hits.hits ?? []).map((hit) => candidateFrom(question, hit)),
    documents: (documents?.hits.hits ?? []).map((hit) => heldBy(question, 'whole', hit)),
  };
}

/** In the hybrid, words of the bare form order nothing; they are read for those that are found in the end. */
const needsBare = ({ vector }: Question): boolean => vector === null;

function unitsBody(question: Question, { candidates, bare, wide }: Counted, { gains }: ScopeRanking): Body {
  const common = {
    _source: false,
    track_total_hits: false,
    docvalue_fields: ['info'],

    post_filter: readBeside([
      ...countsOf(question, 'wide'),
      ...(needsBare(question) ? countsOf(question, 'bare') : []),
      ...cosinesOf(question),
    ]),
  };
  if (candidates.units <= question.perLeg) {
    return { ...common, size: candidates.units, query: { bool: { filter: candidatesOf(question) } } };
  }
  const nearest = [...new Set([...bare.nearest, ...wide.nearest])];
  const legs = [...lexicalLeg(question, 'wide', gains.wide)];
  if (needsBare(question)) legs.push(...lexicalLeg(question, 'bare', gains.bare).map(half));
  // What lies near comes first, and then as many as the other leg gives.
  const near = { constant_score: { filter: { ids: { values: nearest } }, boost: 1e6 } };
  const should = nearest.length === 0 ? legs : [near, ...legs];
  return {
    ...common,
    size: nearest.length + question.perLeg,
    query: { bool: { filter: candidatesOf(question), should, minimum_should_match: 1 } },
  };
}

/** The bare form weighs half as much as the wide one. */
function half(clause: Body): Body {
  const feature = clause.rank_feature as { readonly boost: number } & Body;
  return { rank_feature: { ...feature, boost: feature.boost / 2 } };
}

function documentsBody(question: Question, { candidates }: Counted, { gains }: ScopeRanking): Body {
  const all = candidates.documents <= question.perLeg;
  return {
    size: all ? question.perLeg : DOCUMENTS,
    _source: false,
    track_total_hits: false,
    docvalue_fields: ['info'],

    query: {
      bool: {
        filter: candidatesOf(question),
        should: lexicalLeg(question, 'whole', gains.document),
        minimum_should_match: 1,
      },
    },
    post_filter: readBeside(countsOf(question, 'whole')),
  };
}

function candidateFrom(question: Question, hit: Hit<unknown>): Candidate {
  const { speaker, flags } = infoOf(hit);
  return {
    id: hit._id,
    ...placeOfUnit(hit._id),
    wide: heldBy(question, 'wide', hit),
    bare: heldBy(question, 'bare', hit),
    cosineBare: cosineOf(hit, COSINE_BARE),
    cosineWide: cosineOf(hit, COSINE_WIDE),
    speaker,
    flags,
  };
}

const infoOf = ({ fields }: Hit<unknown>) => infoFrom(String(fields?.info?.[0] ?? ''));

export function heldBy({ prepared }: Question, form: Form, hit: Hit<unknown>): HeldTerms {
  const info = infoOf(hit);
  const length = { bare: info.bareLength, wide: info.wideLength, whole: info.wholeLength }[form];
  return { length, counts: prepared.terms.map((_, term) => hit.matched_queries?.[countName(form, term)] ?? 0) };
}

function cosineOf({ matched_queries: scores }: Hit<unknown>, name: string): number | null {
  const score = scores?.[name];
  return score === undefined ? null : score - COSINE_OFFSET;
}
