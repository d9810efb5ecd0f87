import { analysedLanguage } from '#features/search';
import type { DocumentRow } from '../../../documents.ts';
import type { DocumentName } from '../../../writer-port.ts';
import { type DocumentSource, languageTerms, placedAs, rowFrom, type UnitExtent } from '../documents.ts';
import { getRows } from '../get-rows.ts';
import { documentKey, filterTerms } from '../terms.ts';
import { unitId, unitRowOf } from '../units.ts';
import type { BulkItem } from './bulk.ts';
import { pendingOf, rowsOf, type StoredDocument, surplusIds, tombstoneOf, unitIds } from './changes.ts';
import type { DocumentRows, DocumentRowsOptions } from './document-rows.ts';
import type { Gate } from './gate.ts';
import { readUnitFile } from './unit-file.ts';

/** Rows of one request, and their characters: other requests get their turn in OpenSearch in between. */
const MOST_ITEMS = 500;
const MOST_CHARACTERS = 1024 * 1024;

/** A file of `writeUnitFile`, with the number of units in it. */
export interface UnitFile extends UnitExtent {
  readonly path: string;
}

interface Slice {
  readonly items: readonly BulkItem[];
  readonly isFirst: boolean;
}

/** Writes the units of single documents from files, in many requests. */
export class FileUnits {
  readonly #options: DocumentRowsOptions;
  readonly #rows: DocumentRows;
  readonly #gate: Gate;

  constructor(options: DocumentRowsOptions, rows: DocumentRows, gate: Gate) {
    this.#options = options;
    this.#rows = rows;
    this.#gate = gate;
  }

  /** Ahead of a batch with the row of the document. @throws as `OpenSearchViewsWriter.apply` */
  async writeAhead(row: DocumentRow, file: UnitFile, signal: AbortSignal): Promise<void> {
    await this.#gate.together(async () => {
      const stored = await this.#begin(row);
      if ((stored?.version ?? -1) > row.revision) return;
      for await (const { items } of this.#slices(row, file.path)) await this.#send(items, signal);
      await this.#send(this.#tombstones(row, surplusIds(keyOf(row), file, rowsOf(stored))), signal);
      this.#options.refresher.wrote('units');
      this.#rows.unitsAre(keyOf(row), countedAt(row, file));
    });
  }

  /**
   * Beside the batches behind the one with the row of the document. Searches find all units when it resolves, and before that
   * none.
   * @throws as `OpenSearchViewsWriter.apply`; the reason of the signal
   */
  async writeLate(row: DocumentRow, file: UnitFile, signal: AbortSignal): Promise<void> {
    const stored = await this.#begin(row);
    const surplus = this.#tombstones(row, surplusIds(keyOf(row), file, rowsOf(stored)));
    await this.#send(surplus, signal);
    await using slices = this.#slices(row, file.path);
    let next = await slices.next();
    for (; !next.done && !next.value.isFirst; next = await slices.next()) await this.#send(next.value.items, signal);
    await this.#gate.alone(async () => {
      signal.throwIfAborted();
      const latest = await this.#latestOf(row);
      if (latest === null) return;
      for (; !next.done; next = await slices.next()) await this.#send(next.value.items, signal);
      const { refresher } = this.#options;
      refresher.wrote('units');
      await refresher.show('units');
      this.#rows.unitsAre(keyOf(row), countedAt(row, file));
      await this.#rows.write([pendingOf({ kind: 'upsert', row: latest })]);
      // What changed meanwhile may have had the units written again.
      await refresher.show('units');
      await refresher.show('documents');
    });
  }

  /**
   * Returns whether searches find no units of a document, so that they may be written late. Whatever is written of it next
   * replaces what a process that was killed has left of them.
   */
  async mayBeLate(document: DocumentName): Promise<boolean> {
    const key = keyOf(document);
    const [found] = await this.#documents<Pick<DocumentSource, 'chunks' | 'memories'>>(key, ['chunks', 'memories']);
    if ((found?.chunks ?? 0) + (found?.memories ?? 0) > 0) return false;
    this.#options.strays.begin([key]);
    return true;
  }

  /** Removes units that were written in part. @throws as `OpenSearchViewsWriter.apply` */
  async removeUnfound(row: DocumentRow): Promise<void> {
    if (!(await this.mayBeLate(row))) return;
    const stored = await this.#begin(row);
    await this.#rows.send(this.#tombstones(row, unitIds(keyOf(row), rowsOf(stored))));
    this.#options.refresher.wrote('units');
    await this.#options.refresher.show('units');
  }

  async #begin(row: DocumentRow): Promise<StoredDocument | undefined> {
    await this.#rows.checkSpace();
    const key = keyOf(row);
    this.#options.strays.begin([key]);
    const { organization, id, revision } = row;
    return (await this.#rows.stored([{ key, organization, id, revision, row, units: null }])).get(key);
  }

  /** The row of a document as it is by now. Null: the document is gone. */
  async #latestOf(document: DocumentName): Promise<DocumentRow | null> {
    const [found] = await this.#documents<Pick<DocumentSource, 'row'>>(keyOf(document), ['row']);
    return found?.row === undefined ? null : rowFrom(found.row);
  }

  async #documents<Source extends object>(key: string, columns: readonly string[]): Promise<Partial<Source>[]> {
    const { connection, aliases } = this.#options;
    const docs = [{ _id: key, routing: key, _source: columns }];
    const found = await getRows<Partial<Source>>(connection, aliases.of('documents'), docs);
    return found.flatMap(({ _source }) => _source ?? []);
  }

  /** Yields the first rows, which are at the end of the file, by themselves. */
  async *#slices(row: DocumentRow, path: string): AsyncGenerator<Slice> {
    const place = JSON.stringify(filterTerms(row)).slice(1, -1);
    let items: BulkItem[] = [];
    let length = 0;
    for await (const { kind, ordinal, json } of readUnitFile(path)) {
      const isFirst = ordinal === 0;
      if (items.length > 0 && (isFirst || items.length >= MOST_ITEMS || length >= MOST_CHARACTERS)) {
        yield { items, isFirst: false };
        [items, length] = [[], 0];
      }
      const id = unitId(keyOf(row), kind, ordinal);
      const item = { ...this.#common(row), id, json: unitRowOf(json, place, row.revision) };
      if (isFirst) {
        yield { items: [item], isFirst };
        continue;
      }
      items.push(item);
      length += json.length;
    }
    if (items.length > 0) yield { items, isFirst: false };
  }

  #tombstones(row: DocumentRow, ids: readonly string[]): BulkItem[] {
    const json = tombstoneOf(this.#options.now());
    return ids.map((id) => ({ ...this.#common(row), id, json }));
  }

  #common(row: DocumentRow): Omit<BulkItem, 'id' | 'json'> {
    const { organization, id, revision: version } = row;
    return { index: this.#options.targets.units, routing: keyOf(row), version, owner: { organization, id } };
  }

  /** Searches need not find the rows before the last of them: a batch beside them refreshes no index on their account. */
  async #send(items: readonly BulkItem[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (items.length > 0) await this.#rows.send(items);
  }
}

const keyOf = ({ organization, id }: DocumentName): string => documentKey(organization, id);

const countedAt = (row: DocumentRow, { chunks, memories }: UnitExtent) => ({
  ...{ chunks, memories },
  ...{ unitsRevision: row.revision, placedAs: placedAs(row) },
  facts: languageTerms(analysedLanguage(row.language)),
});
