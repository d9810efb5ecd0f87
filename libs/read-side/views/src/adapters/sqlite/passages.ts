import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '#platform/kernel';
import type { DocumentRow, Unit } from '../../documents.ts';
import { asOfDocument } from '../../pieces.ts';
import type { ViewsReader } from '../../port.ts';
import { foldedText } from '../../statements.ts';
import { toColumn } from '../../text.ts';
import { isInScope } from '../../wanted.ts';
import type { DocumentTable } from './documents.ts';
import { chunkTextKey, textKey } from './text-keys.ts';

type PassageRow = { readonly unit: Unit; readonly document: DocumentRow };

/** Finds memories and chunks of documents by their ids and texts. Every call has to run inside one read transaction. */
export class PassageLists {
  readonly #documents: DocumentTable;
  readonly #byId: StatementSync;
  readonly #byText: StatementSync;
  readonly #chunksById: StatementSync;
  readonly #chunksByText: StatementSync;

  constructor(db: DatabaseSync, documents: DocumentTable) {
    this.#documents = documents;
    const select = 'SELECT document, ordinal FROM units INDEXED BY';
    this.#byId = db.prepare(`${select} units_by_id WHERE kind = 1 AND id IN (SELECT value FROM json_each(?))`);
    this.#byText = db.prepare(
      `${select} memories_by_text WHERE kind = 1 AND text_key IN (SELECT value FROM json_each(?))`,
    );
    this.#chunksById = db.prepare(`${select} units_by_id WHERE kind = 0 AND id = ?`);
    this.#chunksByText = db.prepare(`${select} chunks_by_text WHERE kind = 0 AND text_key = ?`);
    for (const statement of [this.#byId, this.#byText, this.#chunksById, this.#chunksByText]) {
      statement.setReturnArrays(true);
    }
  }

  named(scope: Scope, wanted: Parameters<ViewsReader['passages']>[1]): PassageRow[] {
    const named = new Set('ids' in wanted ? wanted.ids : wanted.texts.map(foldedText));
    const places =
      'ids' in wanted
        ? this.#byId.all(JSON.stringify(wanted.ids.map(toColumn)))
        : this.#byText.all(JSON.stringify(wanted.texts.map(textKey)));
    const rows = new Map<number, DocumentRow | null>();
    const found: PassageRow[] = [];
    for (const [no, ordinal] of places as unknown as [number, number][]) {
      if (!rows.has(no)) rows.set(no, this.#documents.row(no));
      const document = rows.get(no) ?? null;
      if (document === null || document.memory || document.piece || !isInScope(scope, document)) continue;
      const unit = this.#documents.unit(no, 'memory', ordinal);
      if (unit !== null && named.has('ids' in wanted ? unit.id : foldedText(unit.text))) found.push({ unit, document });
    }
    return found.sort((a, b) => b.document.createdAt - a.document.createdAt || a.unit.ordinal - b.unit.ordinal);
  }

  chunks(scope: Scope, named: Parameters<ViewsReader['chunks']>[1]): { documentId: string; unit: Unit }[] {
    const places =
      'id' in named ? this.#chunksById.all(toColumn(named.id)) : this.#chunksByText.all(chunkTextKey(named.text));
    const found = (places as unknown as [number, number][]).flatMap(([no, ordinal]): PassageRow[] => {
      const document = this.#documents.row(no);
      if (document === null || document.piece?.isFormer || !isInScope(scope, document)) return [];
      const unit = this.#documents.unit(no, 'chunk', ordinal);
      const isNamed = unit !== null && ('id' in named ? unit.id === named.id : unit.text === named.text);
      return isNamed ? [asOfDocument({ unit, document })] : [];
    });
    return found
      .sort((a, b) => b.document.createdAt - a.document.createdAt || a.unit.ordinal - b.unit.ordinal)
      .map(({ unit, document }) => ({ documentId: document.id, unit }));
  }
}
