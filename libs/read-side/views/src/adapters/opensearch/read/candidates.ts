import type { HeldTerms, ScopeRanking, ScoredUnit } from '#features/search';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection, Hit, SearchAnswer } from '../connection.ts';
import { INFO_ONLY, infoOf } from '../unit-hits.ts';
import { parseUnitId, type UnitPlace } from '../units.ts';
import { readDocumentWords, readFirstRows } from './document-words.ts';
import { heldBy, heldCounts, holdsWords } from './held-words.ts';
import {
  COSINE_BARE,
  COSINE_CORE,
  COSINE_OFFSET,
  COSINE_WIDE,
  candidatesOf,
  cosinesOf,
  countsOf,
  IS_FURTHER,
  lexicalLeg,
  type Question,
  readBeside,
} from './question.ts';
import type { Statistics } from './statistics.ts';

/** Hits among which the least one is searched: their order here is only approximately that of their scores. */
const LOWEST = 10;

export interface Candidate extends ScoredUnit, UnitPlace {
  readonly id: string;
  /** With the question's core. Null: not asked for, or no vector. */
  readonly cosineCore: number | null;
}

export interface Candidates {
  readonly units: readonly Candidate[];
  /** Words of the last units by words, if all of many units hold some. */
  readonly lowest: readonly HeldTerms[];
  /** Words of the best documents, by their keys; each holds some. */
  readonly documents: ReadonlyMap<string, HeldTerms>;
  /** Documents that hold words of the question, among all candidates. */
  readonly documentsWithWords: number;
}

/**
 * Finds the best units by words and the nearest ones, each with the inputs of the ranking, and the best documents by
 * words. If there are few candidates, returns all of them. One round trip; up to two more if the words of a document are
 * spread over several rows.
 */
export async function findCandidates(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  counted: Statistics,
  ranking: ScopeRanking,
): Promise<Candidates> {
  const index = aliases.of('units');
  const lexical = question.prepared.terms.length > 0;
  const { candidates } = counted;
  const bodies = [
    unitsBody(question, counted, ranking),
    lexical ? documentsBody(question, ranking) : null,
    lexical && candidates.furtherRows > 0 ? furtherRowsBody(question, ranking) : null,
    allHoldWords(question, counted) ? lowestBody(question, ranking) : null,
  ];
  const answers = await connection.scored(bodies.flatMap((body) => (body === null ? [] : [{ index, body }])));
  const [units, documents, further, lowest] = bodies.map((body) =>
    body === null ? [] : (answers.shift() as SearchAnswer).hits.hits,
  ) as [Hits, Hits, Hits, Hits];
  const firsts = await readFirstRows(connection, aliases, question, further, documents);
  const words = await readDocumentWords(connection, aliases, question, [...documents, ...firsts]);
  return {
    units: units.map((hit) => candidateFrom(question, hit)),
    lowest: lowest.map((hit) => heldBy(question, 'wide', hit)),
    documents: new Map([...words.documents].filter(([, held]) => holdsWords(held))),
    documentsWithWords: candidates.documentsWithWords - words.further,
  };
}

type Hits = readonly Hit<unknown>[];

/** Reads units with the inputs of the ranking, in one round trip. @param ids those without a row are left out */
export async function readCandidates(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  ids: readonly string[],
): Promise<Candidate[]> {
  if (ids.length === 0) return [];
  const body = {
    ...INFO_ONLY,
    size: ids.length,
    track_total_hits: false,
    query: { bool: { filter: [...candidatesOf(question), { ids: { values: ids } }] } },
    post_filter: readBeside([...countsOf(question, 'wide'), ...cosinesOf(question)]),
  };
  const [answer] = await connection.scored([{ index: aliases.of('units'), body }]);
  return (answer?.hits.hits ?? []).map((hit) => candidateFrom(question, hit));
}

/** In hybrid searches, words of the bare form do not affect the order; they are read for the final hits. */
const needsBare = ({ vector }: Question): boolean => vector === null;

function unitsBody(question: Question, { candidates, bare, wide }: Statistics, { gains }: ScopeRanking): Body {
  const common = {
    ...INFO_ONLY,
    track_total_hits: false,

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
  // The nearest units come first, then as many of the other leg.
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

/** The least score is zero only if a candidate holds no word. */
function allHoldWords({ prepared, perLeg }: Question, { candidates }: Statistics): boolean {
  return prepared.terms.length > 0 && candidates.units > perLeg && candidates.wideUnitsWithWords === candidates.units;
}

function lowestBody(question: Question, { gains }: ScopeRanking): Body {
  return {
    size: LOWEST,
    ...INFO_ONLY,
    track_total_hits: false,
    sort: [{ _score: 'asc' }],
    query: { bool: { filter: candidatesOf(question), should: lexicalLeg(question, 'wide', gains.wide) } },
    post_filter: readBeside(countsOf(question, 'wide')),
  };
}

/** In each document's first row. */
const documentsBody = (question: Question, ranking: ScopeRanking): Body =>
  wholeBody(question, ranking, { filter: [...candidatesOf(question), { exists: { field: 'wholeLength' } }] });

/** In the rows that hold the rest of a document's words: its first row does not show whether it is among the best. */
const furtherRowsBody = (question: Question, ranking: ScopeRanking): Body =>
  wholeBody(question, ranking, { filter: candidatesOf(question), ...IS_FURTHER });

function wholeBody(question: Question, { gains }: ScopeRanking, rows: Body): Body {
  return {
    size: question.perLeg,
    ...INFO_ONLY,
    track_total_hits: false,
    query: { bool: { ...rows, should: lexicalLeg(question, 'whole', gains.document), minimum_should_match: 1 } },
    post_filter: readBeside(countsOf(question, 'whole')),
  };
}

function candidateFrom(question: Question, hit: Hit<unknown>): Candidate {
  const info = infoOf(hit);
  return {
    id: info.id,
    ...parseUnitId(info.id),
    wide: { counts: heldCounts(question, 'wide', hit), length: info.wideLength },
    bare: { counts: heldCounts(question, 'bare', hit), length: info.bareLength },
    cosineBare: cosineOf(hit, COSINE_BARE),
    cosineWide: cosineOf(hit, COSINE_WIDE),
    cosineCore: cosineOf(hit, COSINE_CORE),
    speaker: info.speaker,
    flags: info.flags,
  };
}

function cosineOf({ matched_queries: scores }: Hit<unknown>, name: string): number | null {
  const score = scores?.[name];
  return score === undefined ? null : score - COSINE_OFFSET;
}
