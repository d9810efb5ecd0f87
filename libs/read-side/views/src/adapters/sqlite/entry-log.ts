import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { partitionOf } from './numbers.ts';
import type { PartitionDirectory } from './partitions.ts';

/** Changes of entries that stay on record. A reader that missed more of them reads the partition again. */
const KEPT = 20_000;
/** The record is cut when it is this much longer, so that cutting is rare. */
const SLACK = 5_000;

/** Records which documents' entries changed, for readers that hold them in memory. */
export class EntryLog {
  readonly #partitions: PartitionDirectory;
  readonly #insert: StatementSync;
  readonly #cut: StatementSync;
  readonly #range: StatementSync;
  #newest = 0;
  #oldest = 0;

  constructor(db: DatabaseSync, partitions: PartitionDirectory) {
    this.#partitions = partitions;
    this.#insert = db.prepare('INSERT INTO entry_log (change, document) VALUES (?, ?)');
    this.#cut = db.prepare('DELETE FROM entry_log WHERE change <= ?');
    this.#range = db.prepare(
      'SELECT (SELECT min(change) FROM entry_log) AS oldest, (SELECT max(change) FROM entry_log) AS newest',
    );
    this.reset();
  }

  changed(document: number): void {
    this.#newest += 1;
    this.#insert.run(this.#newest, document);
    this.#partitions.changed(partitionOf(document), this.#newest);
  }

  shorten(): void {
    if (this.#newest - this.#oldest < KEPT + SLACK) return;
    this.#cut.run(this.#newest - KEPT);
    this.#oldest = this.#newest - KEPT + 1;
  }

  /** Reads again how far the record goes, after a rollback. */
  reset(): void {
    const range = this.#range.get() as { oldest: number | null; newest: number | null };
    this.#newest = range.newest ?? 0;
    this.#oldest = range.oldest ?? 0;
  }
}
