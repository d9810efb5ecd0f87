import { type HeldTerms, RANKED, ScopeRanking } from '#features/search';
import { asOfDocument } from '../../../pieces.ts';
import type { UnitHit } from '../../../queries.ts';
import { consideredFor, rankedHits } from '../../../ranked-hits.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection, Hit } from '../connection.ts';
import { unitFrom } from '../unit-hits.ts';
import { unitId } from '../units.ts';
import { type Candidate, type Candidates, findCandidates } from './candidates.ts';
import { readDocumentWords } from './document-words.ts';
import { heldBy } from './held-words.ts';
import type { LeftUnits } from './left-units.ts';
import { inputsOf, readNeighbours } from './neighbours.ts';
import { countsOf, type Question, readBeside } from './question.ts';
import { countStatistics, type Statistics } from './statistics.ts';
import { arrivalOrder, compareIds, readRows, validRows } from './valid-rows.ts';

/** Rows that are read for one answer at the most. */
const MOST_CONTENDERS = 200;

interface Contender extends Candidate {
  /** Score without the share of its document. */
  readonly alone: number;
  /** Bounds of its score; equal if its document is known. */
  readonly least: number;
  readonly most: number;
}

/**
 * Searches a scope of any size in three round trips: statistics of the scope and the nearest units; units and documents
 * with words of the question, and the scores of the candidates; the rows of the best. Words of documents that are spread
 * over several rows need up to two more after the second, and one more after the third; units around one that takes the
 * place of an outdated one need one more.
 * @param spare rows read beyond the limit, to replace outdated ones
 * @param left units that are no hits; of those beside them, the words of the context are no evidence
 */
export async function searchCandidates(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  { spare, left }: { readonly spare: number; readonly left: LeftUnits },
): Promise<UnitHit[]> {
  const counted = await countStatistics(connection, aliases, question);
  if (counted.candidates.units === 0) return [];
  const ranking = new ScopeRanking(question.prepared, counted.scope, question.weights);
  const candidates = await findCandidates(connection, aliases, question, counted, ranking);
  include(ranking, counted, candidates);
  const considered = consideredFor(question);
  const contenders = contendersOf(ranking, candidates, considered, spare);
  if (contenders.length === 0) return [];

  const keys = [...new Set(contenders.map(({ document }) => document))];
  const unknown = contenders.filter(({ least, most }) => least < most).map((each) => firstOf(each));
  const ids = [...new Set([...contenders.map(({ id }) => id), ...unknown])];
  const beside = readBeside([
    ...countsOf(question, 'bare'),
    ...(unknown.length > 0 ? countsOf(question, 'whole') : []),
  ]);
  const near = rankedAmong(contenders);
  const [found, around] = await Promise.all([
    readRows(connection, aliases, ids, keys, beside),
    readNeighbours(connection, aliases, question, near, candidates.units),
  ]);
  const firsts = unknown.flatMap((id) => found.units.get(id)?.hit ?? []);
  const { documents: read } = await readDocumentWords(connection, aliases, question, firsts);
  const wholes = wholesOf(question, candidates, contenders, read);
  for (const whole of wholes.values()) ranking.includeDocument(whole);
  const best = validRows(question.query, found, contenders)
    .map((shown) => {
      const whole = wholes.get(shown.place.document) as HeldTerms;
      return { ...shown, whole, score: shown.place.alone + ranking.scoreOfDocument(whole) };
    })
    .sort((a, b) => b.score - a.score || arrivalOrder(a, b))
    .slice(0, considered);
  const others = best.slice(0, RANKED).flatMap(({ place }) => (near.includes(place) ? [] : place));
  const neighbours = await readNeighbours(connection, aliases, question, others, [...around.values()]);
  const shown = best.filter(
    ({ place, unit }) => !isBesideLeft(left, place) || hasOwnEvidence(question, place, unit.hit),
  );
  const hits = shown.map(({ place, document, unit, whole, score }) =>
    asOfDocument({
      ...{ unit: unitFrom(place, unit.unit), score, document },
      evidence: ranking.evidence({ ...place, bare: heldBy(question, 'bare', unit.hit) }, whole),
      inputs: inputsOf(ranking, place, whole, neighbours),
    }),
  );
  return rankedHits(question.query, hits);
}

const isBesideLeft = (left: LeftUnits, { document, ordinal }: Candidate): boolean =>
  left.get(document)?.some((other) => Math.abs(other - ordinal) === 1) === true;

/** The context of a unit holds the words of the units beside it. */
function hasOwnEvidence(question: Question, { cosineBare, cosineWide }: Candidate, hit: Hit<unknown>): boolean {
  if (cosineBare !== null || cosineWide !== null) return true;
  return Array.from(heldBy(question, 'bare', hit).counts).some((count) => count > 0);
}

/** Passes to the ranking what bounds the scores of all candidates. */
function include(
  ranking: ScopeRanking,
  { candidates, bare, wide }: Statistics,
  { units, lowest, documents, documentsWithWords }: Candidates,
): void {
  for (const unit of units) ranking.includeUnit(unit);
  for (const wide of lowest) ranking.includeWide(wide);
  if (candidates.unitsWithWords < candidates.units) ranking.includeBareWithoutWords();
  if (candidates.wideUnitsWithWords < candidates.units) ranking.includeWideWithoutWords();
  if (candidates.units > units.length) {
    ranking.includeCosines(bare.highest, wide.highest);
    ranking.includeCosines(bare.lowest, wide.lowest);
  }
  for (const document of documents.values()) ranking.includeDocument(document);
  if (documentsWithWords < candidates.documents) ranking.includeDocumentWithoutWords();
}

/** Candidates that may be among the best, whatever their documents add, and some to spare. */
function contendersOf(
  ranking: ScopeRanking,
  { units, documents, documentsWithWords }: Candidates,
  limit: number,
  spare: number,
): Contender[] {
  // Whether documents outside of the answer hold none of the words.
  const complete = documents.size >= documentsWithWords;
  const scored = units.flatMap((unit): Contender[] => {
    const alone = ranking.scoreAlone(unit);
    if (alone === null) return [];
    const whole = documents.get(unit.document);
    if (whole === undefined && !complete)
      return [{ ...unit, alone, least: alone, most: alone + ranking.mostOfDocument }];
    const score = alone + (whole === undefined ? 0 : ranking.scoreOfDocument(whole));
    return [{ ...unit, alone, least: score, most: score }];
  });
  const last = scored.map(({ least }) => least).sort((a, b) => b - a)[limit - 1];
  return scored
    .sort((a, b) => b.most - a.most || compareIds(a.id, b.id))
    .filter(({ most }, i) => last === undefined || most >= last || i < limit + spare)
    .slice(0, Math.max(limit + spare, MOST_CONTENDERS));
}

/** Those that may be among the units that the ranker reorders, unless rows of better ones are outdated. */
function rankedAmong(contenders: readonly Contender[]): readonly Contender[] {
  const last = contenders.map(({ least }) => least).sort((a, b) => b - a)[RANKED - 1];
  return contenders.filter(({ most }) => last === undefined || most >= last);
}

const firstOf = ({ document, kind }: Candidate): string => unitId(document, kind, 0);

/** Words of the contenders' documents: of the candidates, or read beside the rows. */
function wholesOf(
  question: Question,
  { documents }: Candidates,
  contenders: readonly Contender[],
  read: ReadonlyMap<string, HeldTerms>,
): ReadonlyMap<string, HeldTerms> {
  const none = { counts: question.prepared.terms.map(() => 0), length: 0 };
  return new Map(contenders.map(({ document }) => [document, documents.get(document) ?? read.get(document) ?? none]));
}
