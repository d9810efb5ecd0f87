import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { metadataRows } from '#features/search';
import type { DocumentRow } from '../../documents.ts';
import { filterableMetadata } from '../../filterable.ts';
import { factsOf } from './facts.ts';

/** Writes what filters compare with. */
export class MetadataWriter {
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO metadata VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM metadata WHERE document = ?');
    this.#move = db.prepare('UPDATE metadata SET document = ? WHERE document = ?');
  }

  insert(no: number, document: DocumentRow): void {
    metadataRows(filterableMetadata(document)).forEach((row, place) => {
      const folded = row.folded === row.text ? null : row.folded;
      const flags = [row.isNumber, row.whole, row.element].map(Number) as [number, number, number];
      const { fact, foldedFact } = factsOf(document.organization, row);
      this.#insert.run(no, row.key, place, row.text, folded, row.number, ...flags, fact, foldedFact);
    });
  }

  delete(no: number): void {
    this.#delete.run(no);
  }

  move(from: number, to: number): void {
    this.#move.run(to, from);
  }
}
