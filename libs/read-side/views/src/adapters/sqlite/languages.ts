import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { analysedLanguage } from '#features/search';
import { byDocuments } from '../../language-totals.ts';
import type { LanguageTotals } from '../../queries.ts';
import { partitionOf } from './numbers.ts';
import type { Partition } from './scope.ts';

/** Writes in which languages the words of documents are analysed, inside the transaction of its caller. */
export class LanguageWriter {
  readonly #put: StatementSync;
  readonly #move: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#put = db.prepare('INSERT OR REPLACE INTO document_languages (no, partition, language) VALUES (?, ?, ?)');
    this.#move = db.prepare('UPDATE document_languages SET no = ?, partition = ? WHERE no = ?');
    this.#delete = db.prepare('DELETE FROM document_languages WHERE no = ?');
  }

  /**
   * @param language of the units that are written
   * @param isNew nothing is known of the document
   */
  set(no: number, language: string | null, isNew: boolean): void {
    const analysed = analysedLanguage(language);
    if (analysed !== null) this.#put.run(no, partitionOf(no), analysed);
    else if (!isNew) this.#delete.run(no);
  }

  move(from: number, to: number): void {
    this.#move.run(to, partitionOf(to), from);
  }

  delete(no: number): void {
    this.#delete.run(no);
  }
}

/** Counts the documents of each language in partitions, most documents first. */
export class LanguageReader {
  readonly #any: StatementSync;
  readonly #ofPartition: StatementSync;

  constructor(db: DatabaseSync) {
    const from = 'FROM document_languages';
    this.#any = db.prepare(`SELECT 1 ${from} LIMIT 1`);
    this.#ofPartition = db.prepare(
      `SELECT language, count(*) AS documents ${from} WHERE partition = ? GROUP BY language`,
    );
  }

  of(partitions: readonly Pick<Partition, 'no'>[]): LanguageTotals[] {
    if (!this.#any.get()) return [];
    const totals = new Map<string, number>();
    for (const { no } of partitions) {
      for (const { language, documents } of this.#ofPartition.all(no) as unknown as LanguageTotals[]) {
        totals.set(language, (totals.get(language) ?? 0) + documents);
      }
    }
    return byDocuments(totals);
  }
}
