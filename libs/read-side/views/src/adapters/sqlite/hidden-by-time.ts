import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { cutTime } from '../../pieces.ts';
import type { UnitSearchQuery } from '../../queries.ts';
import {
  firstNumber,
  kindNumber,
  lastNumber,
  OF_DOCUMENTS,
  OF_FORMER_UNITS,
  OF_MEMORIES,
  OF_PASSAGES,
  OF_PIECES,
} from './numbers.ts';
import { isOfFormers, type Partition } from './scope.ts';

/** Finds what the times of a search leave out: what is forgotten, expired, cut, of later or of another date. */
export class HiddenByTime {
  readonly #findInactive: StatementSync;
  readonly #findOutside: StatementSync;
  readonly #findReplaced: StatementSync;
  readonly #findGone: StatementSync;
  readonly #findLater: StatementSync;
  readonly #findInvalid: StatementSync;
  readonly #findLeftOut: StatementSync;

  constructor(db: DatabaseSync) {
    // One text for all numbers takes half the time of a row for each.
    this.#findInactive = db.prepare(
      'SELECT json_group_array(no) AS numbers FROM documents WHERE partition = ? AND inactive_from <= ?',
    );
    this.#findOutside = db.prepare(
      'SELECT no FROM documents WHERE no BETWEEN ? AND ? AND (inactive_from <= ? OR active_from > ?)',
    );
    this.#findOutside.setReturnArrays(true);
    this.#findReplaced = db.prepare(
      'SELECT no FROM documents WHERE no BETWEEN ? AND ? AND (active_from > ? OR replaced_at <= ?)',
    );
    this.#findReplaced.setReturnArrays(true);
    this.#findGone = db.prepare(
      `SELECT no FROM documents WHERE no BETWEEN ? AND ?
        AND (active_from > ? OR replaced_at <= ? OR valid_from > ? OR valid_until <= ?)`,
    );
    this.#findGone.setReturnArrays(true);
    this.#findLater = db.prepare('SELECT no FROM documents WHERE partition = ? AND created_at > ?');
    this.#findLater.setReturnArrays(true);
    this.#findInvalid = db.prepare(
      'SELECT no FROM documents WHERE no BETWEEN ? AND ? AND (valid_from > ? OR valid_until <= ?)',
    );
    this.#findInvalid.setReturnArrays(true);
    this.#findLeftOut = db.prepare(
      'SELECT document, ordinal FROM left_units WHERE document BETWEEN ? AND ? AND kind = ? AND since <= ?',
    );
    this.#findLeftOut.setReturnArrays(true);
  }

  /** Returns the numbers of documents, memories and pieces that the times of the query leave out. */
  documents(query: UnitSearchQuery, partitions: readonly Partition[]): Set<number> {
    const numbers = new Set<number>();
    const add = (found: unknown) => {
      for (const [no] of found as [number][]) numbers.add(no);
    };
    const { activeAt, asOf, validAt } = query;
    const at = cutTime(query);
    for (const { no, direct } of partitions) {
      if (direct === OF_PIECES) add(this.#findOutside.all(firstNumber(no), lastNumber(no), at, at));
      if (asOf !== undefined) {
        const range = [firstNumber(no), lastNumber(no)] as const;
        if (direct === OF_FORMER_UNITS) add(this.#findGone.all(...range, asOf, asOf, at, at));
        else if (isOfFormers(direct)) add(this.#findReplaced.all(...range, asOf, asOf));
        else add(this.#findLater.all(no, asOf));
      }
      if (validAt !== undefined) add(this.#findInvalid.all(firstNumber(no), lastNumber(no), validAt, validAt));
      const isOfMemories = direct === OF_MEMORIES || direct === OF_PASSAGES || isOfFormers(direct);
      if (isOfMemories && activeAt !== undefined) {
        const { numbers: found } = this.#findInactive.get(no, activeAt) as { numbers: string };
        for (const one of JSON.parse(found) as number[]) numbers.add(one);
      }
    }
    return numbers;
  }

  /** Returns the ordinals of units that the time of the query leaves out, by the numbers of their documents. */
  units(query: UnitSearchQuery, partitions: readonly Partition[]): ReadonlyMap<number, readonly number[]> {
    const ordinals = new Map<number, number[]>();
    for (const { no } of partitions.filter(({ direct }) => direct === OF_DOCUMENTS || direct === OF_FORMER_UNITS)) {
      const found = this.#findLeftOut.all(firstNumber(no), lastNumber(no), kindNumber(query.kind), cutTime(query));
      for (const [document, ordinal] of found as unknown as [number, number][]) {
        const own = ordinals.get(document);
        if (own === undefined) ordinals.set(document, [ordinal]);
        else own.push(ordinal);
      }
    }
    return ordinals;
  }
}
