import { type HeldTerms, ScopeRanking } from '#search';
import type { UnitHit } from '../../../port.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { unitFrom, unitId } from '../units.ts';
import { type Candidate, type Candidates, findCandidates, heldBy } from './candidates.ts';
import { arrivalOrder, compared, type FoundUnit, readFound, shownOf } from './found.ts';
import { countsOf, type Question, readBeside } from './question.ts';
import { type Counted, countStatistics } from './statistics.ts';

/** More are never read for one answer, whatever their documents may add to them. */
const MOST_CONTENDERS = 200;

interface Contender extends Candidate {
  /** Score without what its document adds. */
  readonly alone: number;
  /** Between these lies its score; the same where its document is known. */
  readonly least: number;
  readonly most: number;
}

/**
 * Searches a scope of any size in three round trips: what it holds of the question, and which units lie near to it; which
 * units and documents hold its words, and every score of the candidates; the rows of the best.
 * @param spare read beyond what was asked for, in place of those that are not what they were any more
 */
export async function searchCandidates(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  spare: number,
): Promise<UnitHit[]> {
  const counted = await countStatistics(connection, aliases, question);
  if (counted.candidates.units === 0) return [];
  const ranking = new ScopeRanking(question.prepared, counted.scope);
  const candidates = await findCandidates(connection, aliases, question, counted, ranking);
  include(ranking, counted, candidates);
  const contenders = contendersOf(ranking, candidates, counted, question.query.limit, spare);
  if (contenders.length === 0) return [];

  const keys = [...new Set(contenders.map(({ document }) => document))];
  const unknown = contenders.filter(({ least, most }) => least < most).map((each) => firstOf(each));
  const ids = [...new Set([...contenders.map(({ id }) => id), ...unknown])];
  const beside = readBeside([
    ...countsOf(question, 'bare'),
    ...(unknown.length > 0 ? countsOf(question, 'whole') : []),
  ]);
  const found = await readFound(connection, aliases, ids, keys, beside);
  const wholes = wholesOf(question, candidates, contenders, found.units);
  for (const whole of wholes.values()) ranking.includeDocument(whole);
  return shownOf(question.query, found, contenders)
    .map((shown) => {
      const whole = wholes.get(shown.place.document) as HeldTerms;
      return { ...shown, whole, score: shown.place.alone + ranking.scoreOfDocument(whole) };
    })
    .sort((a, b) => b.score - a.score || arrivalOrder(a, b))
    .slice(0, question.query.limit)
    .map(({ place, document, unit, whole, score }) => ({
      unit: unitFrom(place, unit.unit),
      score,
      evidence: ranking.evidence({ ...place, bare: heldBy(question, 'bare', unit.hit) }, whole),
      document,
    }));
}

/** Tells the ranking of all candidates what bounds their scores. */
function include(
  ranking: ScopeRanking,
  { candidates, bare, wide }: Counted,
  { units, lowest, documents }: Candidates,
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
  if (candidates.documentsWithWords < candidates.documents) ranking.includeDocumentWithoutWords();
}

/** Those that can be among the best, whatever their documents add, and some to spare. */
function contendersOf(
  ranking: ScopeRanking,
  { units, documents }: Candidates,
  { candidates }: Counted,
  limit: number,
  spare: number,
): Contender[] {
  // Whether a document that was not found holds none of the words.
  const complete = documents.size >= candidates.documentsWithWords;
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
    .sort((a, b) => b.most - a.most || compared(a.id, b.id))
    .filter(({ most }, i) => last === undefined || most >= last || i < limit + spare)
    .slice(0, Math.max(limit + spare, MOST_CONTENDERS));
}

const firstOf = ({ document, kind }: Candidate): string => unitId(document, kind, 0);

/** What the contenders' documents hold, from the candidates or from their first units. */
function wholesOf(
  question: Question,
  { documents }: Candidates,
  contenders: readonly Contender[],
  units: ReadonlyMap<string, FoundUnit>,
): ReadonlyMap<string, HeldTerms> {
  const wholes = new Map<string, HeldTerms>();
  for (const contender of contenders) {
    const first = units.get(firstOf(contender));
    const whole = documents.get(contender.document) ?? (first && heldBy(question, 'whole', first.hit));
    wholes.set(contender.document, whole ?? { counts: question.prepared.terms.map(() => 0), length: 0 });
  }
  return wholes;
}
