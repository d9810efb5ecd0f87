import { asOfDocument } from '../../../pieces.ts';
import type { UnitHit, UnitSearchQuery } from '../../../queries.ts';
import { consideredFor, rankedHits } from '../../../ranked-hits.ts';
import { joinedHits, type OneSpaceSearch, searchesOf } from '../../../several-spaces.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { unitFrom } from '../unit-hits.ts';
import { unitId } from '../units.ts';
import { searchCandidates } from './candidate-search.ts';
import { LargeScopes } from './large-scopes.ts';
import { type LeftUnits, leftUnitIds, readLeftUnits } from './left-units.ts';
import { type Question, questionOf, withoutUnits } from './question.ts';
import { type ScannedUnit, scanScope } from './scan.ts';
import type { ScopeLanguages } from './scope-languages.ts';
import { arrivalOrder, readRows, validRows } from './valid-rows.ts';

/** Rows read beyond the limit, to replace outdated ones. */
const SPARE = 10;

/**
 * Searches units. A scope of up to `mostScanned` units is scanned whole, in two round trips: the scores of all, the
 * rows of the best. In a larger one candidates are selected first.
 */
export class UnitSearch {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #mostScanned: number;
  readonly #large = new LargeScopes();
  readonly #languages: ScopeLanguages;

  constructor(connection: Connection, aliases: Aliases, languages: ScopeLanguages, mostScanned: number) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#mostScanned = mostScanned;
    this.#languages = languages;
  }

  async search(query: UnitSearchQuery): Promise<UnitHit[]> {
    if (query.limit <= 0 || query.scope.tags.length === 0) return [];
    const searches = searchesOf(query);
    return this.#languages.search(query, async (languages) =>
      joinedHits(searches, await Promise.all(searches.map((search) => this.#searchSpace(search, languages)))),
    );
  }

  async #searchSpace(search: OneSpaceSearch, languages: readonly string[]): Promise<UnitHit[]> {
    const question = questionOf(search, this.#aliases, languages);
    if (question.prepared.terms.length === 0 && question.vector === null) return [];
    const { query } = search;
    const left = readLeftUnits(this.#connection, this.#aliases, query);
    const [scanned] = await Promise.all([this.#scan(question, left), left]);
    if (scanned === null) {
      const asked = withoutUnits(question, leftUnitIds(await left, query.kind));
      return searchCandidates(this.#connection, this.#aliases, asked, { spare: SPARE, left: await left });
    }
    return scanned.length === 0 ? [] : this.#hits(question, scanned);
  }

  /** @returns null: the scope is too large to scan */
  async #scan(question: Question, left: Promise<LeftUnits>): Promise<readonly ScannedUnit[] | null> {
    const { query } = question;
    if (this.#mostScanned === 0 || this.#large.has(query)) return null;
    const options = { most: this.#mostScanned, limit: consideredFor(question) + SPARE, left };
    const scanned = await scanScope(this.#connection, this.#aliases, question, options);
    if (scanned === null) this.#large.add(query);
    return scanned;
  }

  async #hits(question: Question, scanned: readonly ScannedUnit[]): Promise<UnitHit[]> {
    const { query } = question;
    const places = scanned.map((unit) => ({
      ...unit,
      kind: query.kind,
      id: unitId(unit.document, query.kind, unit.ordinal),
    }));
    const ids = places.map(({ id }) => id);
    const keys = [...new Set(places.map(({ document }) => document))];
    const found = await readRows(this.#connection, this.#aliases, ids, keys, null);
    const best = validRows(query, found, places)
      .sort((a, b) => b.place.score - a.place.score || arrivalOrder(a, b))
      .slice(0, consideredFor(question))
      .map(({ place, document, unit }) =>
        asOfDocument({
          ...{ unit: unitFrom(place, unit.unit), score: place.score, evidence: place.evidence, document },
          inputs: place.inputs,
        }),
      );
    return rankedHits(query, best);
  }
}
