import type { DatabaseSync } from 'node:sqlite';
import type { SpaceCondition } from '../../several-spaces.ts';
import { toColumn } from '../../text.ts';
import type { Sql } from './filters.ts';
import { hasTable } from './read-models.ts';

const NUMBERS = '(SELECT no FROM spaces WHERE name IN (SELECT value FROM json_each(?)))';

/** Conditions on documents by the spaces of their vectors. */
export class SpaceFilter {
  /** False: views of an earlier version. */
  readonly #hasSeconds: boolean;

  constructor(db: DatabaseSync) {
    this.#hasSeconds = hasTable(db, 'second_spaces');
  }

  of(condition: SpaceCondition): Sql {
    const [wanted, others] =
      'has' in condition ? [condition.has, condition.lacks] : [condition.prefers, condition.others];
    const has = this.#inOneOf([wanted]);
    const hasOther = this.#inOneOf(others);
    const operator = 'has' in condition ? 'AND' : 'OR';
    return { sql: `(${has.sql} ${operator} NOT ${hasOther.sql})`, params: [...has.params, ...hasOther.params] };
  }

  #inOneOf(spaces: readonly string[]): Sql {
    const own = `space IN ${NUMBERS}`;
    const second = `documents.no IN (SELECT no FROM second_spaces WHERE space IN ${NUMBERS})`;
    const names = JSON.stringify(spaces.map(toColumn));
    return this.#hasSeconds
      ? { sql: `(${own} OR ${second})`, params: [names, names] }
      : { sql: `(${own})`, params: [names] };
  }
}
