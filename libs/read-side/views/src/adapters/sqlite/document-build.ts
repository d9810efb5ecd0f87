import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DocumentChange } from '../../documents.ts';
import { toColumn } from '../../text.ts';
import { DOCUMENT_TABLES } from './document-tables.ts';

/**
 * Recognizes changes of documents that a later one has overtaken. While the documents are being built, the newest events
 * are written beside what the building has read earlier. Otherwise changes come in the order of the log.
 */
export class DocumentBuild {
  readonly #revision: StatementSync;
  readonly #findFloor: StatementSync;
  readonly #writeFloor: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: DatabaseSync) {
    this.#revision = db.prepare(
      "SELECT json_extract(row, '$.revision') AS revision FROM documents WHERE organization = ? AND id = ?",
    );
    this.#findFloor = db.prepare('SELECT revision FROM row_floors WHERE model = ? AND stream = ?');
    this.#writeFloor = db.prepare('INSERT OR REPLACE INTO row_floors (model, stream, revision) VALUES (?, ?, ?)');
    this.#forget = db.prepare('DELETE FROM row_floors WHERE model = ?');
  }

  isOvertaken(change: DocumentChange): boolean {
    const { organization, id, revision } = change.kind === 'delete' ? change : change.row;
    const key = toColumn(`${organization}/${id}`);
    const found = this.#revision.get(toColumn(organization), toColumn(id)) as { revision: number } | undefined;
    const floor = this.#findFloor.get(DOCUMENT_TABLES.name, key) as { revision: number } | undefined;
    if (revision < Math.max(found?.revision ?? -1, floor?.revision ?? -1)) return true;
    if (change.kind === 'delete') this.#writeFloor.run(DOCUMENT_TABLES.name, key, revision);
    return false;
  }

  /** Forgets the deletions that it has seen; the documents have been built. */
  end(): void {
    this.#forget.run(DOCUMENT_TABLES.name);
  }
}
