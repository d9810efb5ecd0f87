import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { firstNumber, lastNumber } from './numbers.ts';
import type { Partition } from './scope.ts';

const MOST_PARTITIONS = 10_000;

interface Known {
  /** Newest change of the partition at that time. */
  readonly changed: number;
  readonly spaces: ReadonlySet<number>;
}

/** Which vector spaces the documents of a partition have, by their numbers. Read again after each change of the partition. */
export class PartitionSpaces {
  readonly #find: StatementSync;
  readonly #known = new LRUCache<number, Known>({ max: MOST_PARTITIONS });

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT DISTINCT space FROM documents WHERE no BETWEEN ? AND ?');
    this.#find.setReturnArrays(true);
  }

  of({ no, changed }: Partition): ReadonlySet<number> {
    const known = this.#known.get(no);
    if (known?.changed === changed) return known.spaces;
    const rows = this.#find.all(firstNumber(no), lastNumber(no)) as unknown as [number][];
    const spaces = new Set(rows.map(([space]) => space));
    this.#known.set(no, { changed, spaces });
    return spaces;
  }
}
