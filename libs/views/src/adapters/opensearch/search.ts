import { type HeldTerms, ScopeRanking } from '#search';
import type { DocumentRow, UnitHit, UnitSearchQuery } from '../../port.ts';
import { isWanted } from '../../wanted.ts';
import { type Candidate, type Candidates, findCandidates, heldBy } from './candidates.ts';
import type { Connection, Hit, SearchAnswer } from './connection.ts';
import { rowFrom } from './documents.ts';
import type { Aliases } from './indices.ts';
import { countsOf, type Question, questionOf, readBeside } from './question.ts';
import { type Counted, countStatistics } from './statistics.ts';
import { unitFrom, unitId } from './units.ts';

/** Read beyond what was asked for, in place of those that are not what they were any more. */
const SPARE = 10;
/** More are never read for one answer, whatever their documents may add to them. */
const MOST_CONTENDERS = 200;

interface Contender extends Candidate {
  /** Score without what its document adds. */
  readonly alone: number;
  /** Between these lies its score; the same where its document is known. */
  readonly least: number;
  readonly most: number;
}

/** What was read of a unit. */
interface FoundUnit {
  /** JSON. */
  readonly unit: string;
  readonly revision: number;
  readonly hit: Hit<unknown>;
}

interface FoundRow {
  readonly row: DocumentRow;
  readonly unitsRevision: number;
}

/**
 * Searches units in three round trips: what the scope holds of the question, and which units lie near to it; which units
 * and documents hold its words, and every score of the candidates; the rows of the best.
 */
export class UnitSearch {
  readonly #connection: Connection;
  readonly #aliases: Aliases;

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  async search(query: UnitSearchQuery): Promise<UnitHit[]> {
    if (query.limit <= 0 || query.scope.tags.length === 0) return [];
    const question = questionOf(query, this.#aliases);
    if (question.prepared.terms.length === 0 && question.vector === null) return [];
    const counted = await countStatistics(this.#connection, this.#aliases, question);
    if (counted.candidates.units === 0) return [];
    const ranking = new ScopeRanking(question.prepared, counted.scope);
    const candidates = await findCandidates(this.#connection, this.#aliases, question, counted, ranking);
    include(ranking, counted, candidates);
    const contenders = contendersOf(ranking, candidates, counted, query.limit);
    return contenders.length === 0 ? [] : this.#hits(question, ranking, candidates, contenders);
  }

  /** Reads what was found from the index again, and lets nothing pass that does not answer the query. */
  async #hits(
    question: Question,
    ranking: ScopeRanking,
    candidates: Candidates,
    contenders: readonly Contender[],
  ): Promise<UnitHit[]> {
    const { query } = question;
    const { units, rows } = await this.#read(question, contenders);
    const wholes = wholesOf(question, candidates, contenders, units);
    for (const whole of wholes.values()) ranking.includeDocument(whole);
    const found = contenders.flatMap((contender) => {
      const { row: document, unitsRevision } = rows.get(contender.document) ?? {};
      const unit = units.get(contender.id);
      const whole = wholes.get(contender.document);
      if (!document || unitsRevision === undefined || !unit || !whole) return [];
      if (!isWanted(query, document) || (query.documentId ?? document.id) !== document.id) return [];
      // Of a document that is just being replaced, or left behind by a writer that was too late.
      if (unit.revision < unitsRevision) return [];
      return [{ contender, document, unit, whole, score: contender.alone + ranking.scoreOfDocument(whole) }];
    });
    return ofOneRevision(found)
      .sort((a, b) => b.score - a.score || placeOrder(a.contender, b.contender))
      .slice(0, query.limit)
      .map(({ contender, document, unit, whole, score }) => ({
        unit: unitFrom(contender, unit.unit),
        score,
        evidence: ranking.evidence({ ...contender, bare: heldBy(question, 'bare', unit.hit) }, whole),
        document,
      }));
  }

  async #read(question: Question, contenders: readonly Contender[]) {
    const keys = [...new Set(contenders.map(({ document }) => document))];
    const unknown = contenders.filter(({ least, most }) => least < most).map((each) => firstOf(each));
    const ids = [...new Set([...contenders.map(({ id }) => id), ...unknown])];
    // Both indices in one request: what is named in one of them alone is nothing in the other.
    const [{ hits: found } = NOTHING] = await this.#connection.scored([
      {
        index: `${this.#aliases.of('units')},${this.#aliases.of('documents')}`,
        body: {
          query: { ids: { values: [...ids, ...keys] } },
          size: ids.length + keys.length,
          _source: false,
          stored_fields: ['unit', 'row'],
          docvalue_fields: ['unitsRevision', 'info'],
          track_total_hits: false,
          post_filter: readBeside([
            ...countsOf(question, 'bare'),
            ...(unknown.length > 0 ? countsOf(question, 'whole') : []),
          ]),
        },
      },
    ]);
    const units = new Map<string, FoundUnit>();
    const rows = new Map<string, FoundRow>();
    // A tombstone has neither.
    for (const hit of found.hits) {
      const { unit, row, unitsRevision } = hit.fields ?? {};
      const revision = Number(unitsRevision?.[0]);
      if (unit !== undefined) units.set(hit._id, { unit: String(unit[0]), revision, hit });
      if (row !== undefined) rows.set(hit._id, { row: rowFrom(String(row[0])), unitsRevision: revision });
    }
    return { units, rows };
  }
}

const NOTHING: Pick<SearchAnswer, 'hits'> = { hits: { hits: [] } };

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
    .sort((a, b) => b.most - a.most || placeOrder(a, b))
    .filter(({ most }, i) => last === undefined || most >= last || i < limit + SPARE)
    .slice(0, Math.max(limit + SPARE, MOST_CONTENDERS));
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

function placeOrder(a: Candidate, b: Candidate): number {
  if (a.document !== b.document) return a.document < b.document ? -1 : 1;
  return a.ordinal - b.ordinal;
}

/** While a document is replaced, some of its units may be found in the old form and some in the new: the new ones stay. */
function ofOneRevision<T extends { readonly document: DocumentRow; readonly unit: FoundUnit }>(
  found: readonly T[],
): T[] {
  const newest = new Map<DocumentRow, number>();
  for (const { document, unit } of found) {
    newest.set(document, Math.max(newest.get(document) ?? -1, unit.revision));
  }
  return found.filter(({ document, unit }) => unit.revision === newest.get(document));
}
