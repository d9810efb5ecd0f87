import { DatabaseSync } from 'node:sqlite';
import type { UnitKind, UnitSet } from '../../documents.ts';
import { ENTRY_TABLES } from './document-tables.ts';
import { entryOf } from './entries.ts';
import { entryTable, NO_SPACE } from './entry-statements.ts';
import { KINDS } from './numbers.ts';

/**
 * Writes the index entries of a document into a new file, from which `addEntries` of the writer copies them into the views
 * page by page: entries of a very long text are never whole in the memory of the process that copies them.
 * @param no number of the document in the views
 * @param set without vectors
 * @throws RangeError as `entryOf`; what SQLite refuses
 */
export function writeEntryFile(path: string, no: number, set: UnitSet): void {
  const db = new DatabaseSync(path);
  try {
    // A file that is not complete is never read.
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${ENTRY_TABLES}`);
    for (const kind of KINDS) {
      const entry = entryOf(set, kind);
      if (entry === null) continue;
      db.prepare(`INSERT INTO ${entryTable(kind)} (no, space, entry) VALUES (?, ?, ?)`).run(no, NO_SPACE, entry);
    }
  } finally {
    db.close();
  }
}

/** Copies index entries out of files that `writeEntryFile` has written. */
export class EntryFile {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Opens a file beside the views, calls `use`, and closes it. Not inside a transaction. */
  static with<T>(db: DatabaseSync, path: string, use: (file: EntryFile) => T): T {
    db.prepare('ATTACH ? AS made').run(path);
    try {
      return use(new EntryFile(db));
    } finally {
      db.exec('DETACH made');
    }
  }

  /**
   * Copies the entry of a document that has none yet.
   * @param no present number of the document
   * @returns the size of the entry in bytes; null: the file has none of this kind
   */
  copy(kind: UnitKind, no: number): number | null {
    const name = entryTable(kind);
    const row = this.#db.prepare(`SELECT no, length(entry) AS bytes FROM made.${name}`).get();
    if (row === undefined) return null;
    const found = row as { readonly no: number; readonly bytes: number };
    // The document has moved to another partition since.
    if (found.no !== no) this.#db.prepare(`UPDATE made.${name} SET no = ?`).run(no);
    // Between tables of the same shape SQLite copies whole rows, without reading their columns.
    this.#db.exec(`INSERT INTO main.${name} SELECT * FROM made.${name}`);
    return found.bytes;
  }
}
