import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '#kernel';
import type { DocumentRow, Unit } from '../../documents.ts';
import type { ViewsReader } from '../../port.ts';
import { foldedText } from '../../statements.ts';
import { toColumn } from '../../text.ts';
import { isInScope } from '../../wanted.ts';
import type { DocumentTable } from './documents.ts';
import { textKey } from './text-keys.ts';

type Found = { readonly unit: Unit; readonly document: DocumentRow };

/** Finds memories of documents. Every call has to run inside one read transaction. */
export class PassageLists {
  readonly #documents: DocumentTable;
  readonly #byId: StatementSync;
  readonly #byText: StatementSync;

  constructor(db: DatabaseSync, documents: DocumentTable) {
    this.#documents = documents;
    const select = 'SELECT document, ordinal FROM units INDEXED BY';
    this.#byId = db.prepare(`${select} memories_by_id WHERE kind = 1 AND id IN (SELECT value FROM json_each(?))`);
    this.#byText = db.prepare(
      `${select} memories_by_text WHERE text_key IS NOT NULL AND text_key IN (SELECT value FROM json_each(?))`,
    );
    this.#byId.setReturnArrays(true);
    this.#byText.setReturnArrays(true);
  }

  named(scope: Scope, wanted: Parameters<ViewsReader['passages']>[1]): Found[] {
    const named = new Set('ids' in wanted ? wanted.ids : wanted.texts.map(foldedText));
    const places =
      'ids' in wanted
        ? this.#byId.all(JSON.stringify(wanted.ids.map(toColumn)))
        : this.#byText.all(JSON.stringify(wanted.texts.map(textKey)));
    const rows = new Map<number, DocumentRow | null>();
    const found: Found[] = [];
    for (const [no, ordinal] of places as unknown as [number, number][]) {
      if (!rows.has(no)) rows.set(no, this.#documents.row(no));
      const document = rows.get(no) ?? null;
      if (document === null || document.memory || document.piece || !isInScope(scope, document)) continue;
      const unit = this.#documents.unit(no, 'memory', ordinal);
      if (unit !== null && named.has('ids' in wanted ? unit.id : foldedText(unit.text))) found.push({ unit, document });
    }
    return found.sort((a, b) => b.document.createdAt - a.document.createdAt || a.unit.ordinal - b.unit.ordinal);
  }
}
