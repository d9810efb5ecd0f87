import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { firstNumber, lastNumber } from './numbers.ts';
import type { Partition } from './scope.ts';

/** Looks up which vector spaces the documents of partitions have. */
export class PartitionSpaces {
  readonly #own: StatementSync;
  readonly #second: StatementSync;

  constructor(db: DatabaseSync) {
    this.#own = db.prepare('SELECT 1 FROM documents WHERE partition = ? AND space = ? LIMIT 1');
    this.#second = db.prepare('SELECT 1 FROM second_spaces WHERE space = ? AND no BETWEEN ? AND ? LIMIT 1');
  }

  /** Whether a document has its own vectors in a space. */
  hasOwn({ no }: Partition, space: number): boolean {
    return this.#own.get(no, space) !== undefined;
  }

  /** Whether a document has vectors in a space beside its own. */
  hasSecond({ no }: Pick<Partition, 'no'>, space: number): boolean {
    return this.#second.get(space, firstNumber(no), lastNumber(no)) !== undefined;
  }
}
