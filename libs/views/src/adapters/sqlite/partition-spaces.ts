import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { firstNumber, lastNumber } from './numbers.ts';
import { hasTable } from './read-models.ts';
import type { Partition } from './scope.ts';

/** Looks up which vector spaces the documents of partitions have. */
export class PartitionSpaces {
  readonly #own: StatementSync;
  /** Null: views of an earlier version. */
  readonly #second: StatementSync | null;

  constructor(db: DatabaseSync) {
    this.#own = db.prepare('SELECT 1 FROM documents WHERE partition = ? AND space = ? LIMIT 1');
    this.#second = hasTable(db, 'second_spaces')
      ? db.prepare('SELECT 1 FROM second_spaces WHERE space = ? AND no BETWEEN ? AND ? LIMIT 1')
      : null;
  }

  /** Whether a document has its own vectors in a space. */
  hasOwn({ no }: Partition, space: number): boolean {
    return this.#own.get(no, space) !== undefined;
  }

  /** Whether a document has vectors in a space beside its own. */
  hasSecond({ no }: Pick<Partition, 'no'>, space: number): boolean {
    return this.#second?.get(space, firstNumber(no), lastNumber(no)) !== undefined;
  }
}
