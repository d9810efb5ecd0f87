import { type HeldTerms, ScopeRanking } from '#search';
import type { DocumentRow, UnitHit, UnitSearchQuery } from '../../port.ts';
import { isWanted } from '../../wanted.ts';
import { type Candidate, findCandidates, heldBy } from './candidates.ts';
import type { Connection, Hit, Search } from './connection.ts';
import { rowFrom } from './documents.ts';
import type { Aliases } from './indices.ts';
import { ROW_COLUMNS, type RowSource } from './lists.ts';
import { countsOf, type Question, questionOf, readBeside } from './question.ts';
import { type Counted, countStatistics } from './statistics.ts';
import { unitFrom, unitId } from './units.ts';

/** More are never read for one answer, whatever their documents may add to them. */
const MOST_CONTENDERS = 200;

interface Contender extends Candidate {
  /** Without what its document adds. */
  readonly alone: number;
}

interface UnitColumns {
  readonly unit: string;
  readonly unitsRevision: number;
}

/**
 * Searches units in three round trips: what the scope holds of the question, and which units lie near to it; which units
 * hold its words, and every score of the candidates; the rows of those that may be among the best.
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
    const { units, documents } = await findCandidates(this.#connection, this.#aliases, question, counted, ranking);
    include(ranking, counted, units, documents);
    const contenders = contendersOf(ranking, units, query.limit);
    return contenders.length === 0 ? [] : this.#hits(question, ranking, contenders);
  }

  /** Reads what was found from the index again, and lets nothing pass that does not answer the query. */
  async #hits(question: Question, ranking: ScopeRanking, contenders: readonly Contender[]): Promise<UnitHit[]> {
    const { query } = question;
    const { units, firsts, rows } = await this.#read(question, contenders);
    for (const hit of firsts.values()) ranking.includeDocument(heldBy(question, 'whole', hit));
    const documents = new Map([...rows].map(([key, source]) => [key, { source, row: rowFrom(source.row) }]));
    const found = contenders.flatMap((contender) => {
      const { row: document, source } = documents.get(contender.document) ?? {};
      const hit = units.get(contender.id);
      const first = firsts.get(contender.document);
      if (!document || !source || !hit || !first) return [];
      if (!isWanted(query, document) || (query.documentId ?? document.id) !== document.id) return [];
      // Of a document that is just being replaced, or left behind by a writer that was too late.
      if (hit._source.unitsRevision < source.unitsRevision) return [];
      const whole = heldBy(question, 'whole', first);
      return [{ contender, document, hit, whole, score: contender.alone + ranking.scoreOfDocument(whole) }];
    });
    return ofOneRevision(found)
      .sort((a, b) => b.score - a.score || placeOrder(a.contender, b.contender))
      .slice(0, query.limit)
      .map(({ contender, document, hit, whole, score }) => ({
        unit: unitFrom(contender, hit._source.unit),
        score,
        evidence: ranking.evidence({ ...contender, bare: heldBy(question, 'bare', hit) }, whole),
        document,
      }));
  }

  async #read(question: Question, contenders: readonly Contender[]) {
    const keys = [...new Set(contenders.map(({ document }) => document))];
    const firstIds = keys.map((key) => unitId(key, question.query.kind, 0));
    const ids = [...new Set([...contenders.map(({ id }) => id), ...firstIds])];
    const searches: Search[] = [
      {
        index: this.#aliases.of('units'),
        body: {
          query: { ids: { values: ids } },
          size: ids.length,
          _source: ['unit', 'unitsRevision'],
          track_total_hits: false,
          docvalue_fields: ['info'],

          post_filter: readBeside([...countsOf(question, 'bare'), ...countsOf(question, 'whole')]),
        },
      },
      {
        index: this.#aliases.of('documents'),
        body: { query: { ids: { values: keys } }, size: keys.length, _source: ROW_COLUMNS, track_total_hits: false },
      },
    ];
    const [units, documents] = await this.#connection.scored(searches);
    const live = ((units?.hits.hits ?? []) as Hit<UnitColumns>[]).filter(({ _source }) => 'unit' in _source);
    const byId = new Map(live.map((hit) => [hit._id, hit]));
    const rows = ((documents?.hits.hits ?? []) as Hit<RowSource>[]).filter(({ _source }) => 'row' in _source);
    return {
      units: byId,
      /** The first unit of each document, which knows the words of all. */
      firsts: new Map(
        keys.flatMap((key, i) => {
          const first = byId.get(firstIds[i] as string);
          return first === undefined ? [] : [[key, first] as const];
        }),
      ),
      rows: new Map(rows.map(({ _id, _source }) => [_id, _source])),
    };
  }
}

/** Tells the ranking of all candidates what bounds their scores. */
function include(
  ranking: ScopeRanking,
  { candidates, bare, wide }: Counted,
  units: readonly Candidate[],
  documents: readonly HeldTerms[],
): void {
  for (const unit of units) ranking.includeUnit(unit);
  if (candidates.unitsWithWords < candidates.units) ranking.includeUnitWithoutWords();
  if (candidates.units > units.length) {
    ranking.includeCosines(bare.highest, wide.highest);
    ranking.includeCosines(bare.lowest, wide.lowest);
  }
  for (const document of documents) ranking.includeDocument(document);
  if (candidates.documentsWithWords < candidates.documents) ranking.includeDocumentWithoutWords();
}

/** Those that can be among the best, whatever their documents add. */
function contendersOf(ranking: ScopeRanking, units: readonly Candidate[], limit: number): Contender[] {
  const scored = units
    .flatMap((unit) => {
      const alone = ranking.scoreAlone(unit);
      return alone === null ? [] : [{ ...unit, alone }];
    })
    .sort((a, b) => b.alone - a.alone || placeOrder(a, b));
  const last = scored[limit - 1];
  if (last === undefined) return scored;
  const bar = last.alone - ranking.mostOfDocument;
  return scored.slice(0, Math.max(limit, MOST_CONTENDERS)).filter(({ alone }) => alone >= bar);
}

function placeOrder(a: Candidate, b: Candidate): number {
  if (a.document !== b.document) return a.document < b.document ? -1 : 1;
  return a.ordinal - b.ordinal;
}

/** While a document is replaced, some of its units may be found in the old form and some in the new: the new ones stay. */
function ofOneRevision<T extends { readonly document: DocumentRow; readonly hit: Hit<UnitColumns> }>(
  found: readonly T[],
): T[] {
  const newest = new Map<DocumentRow, number>();
  for (const { document, hit } of found) {
    newest.set(document, Math.max(newest.get(document) ?? -1, hit._source.unitsRevision));
  }
  return found.filter(({ document, hit }) => hit._source.unitsRevision === newest.get(document));
}
