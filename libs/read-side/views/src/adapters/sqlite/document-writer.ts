import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Cuts, DocumentChange, DocumentRow, Unit, UnitChanges, UnitSet } from '../../documents.ts';
import { checkNamed, secondSpaceOf, spaceOfRow } from '../../one-space.ts';
import { ALWAYS, isOfLeftUnits, pieceChanges } from '../../pieces.ts';
import { fromColumn, toColumn, toColumnOrNull } from '../../text.ts';
import { NEVER, validityOf } from '../../validity.ts';
import type { EntryFile } from './entry-file.ts';
import { EntryLog } from './entry-log.ts';
import { NO_SPACE } from './entry-statements.ts';
import { FormerTagWriter } from './former-tags.ts';
import { LanguageWriter } from './languages.ts';
import { LeftUnitWriter } from './left-units.ts';
import { MetadataWriter } from './metadata-writer.ts';
import { partitionOf } from './numbers.ts';
import { PartitionDirectory } from './partitions.ts';
import { losesWords, rowColumns, stageNumber } from './rows.ts';
import { sentColumn } from './sent.ts';
import { SpaceNumbers } from './spaces.ts';
import { UnitWriter } from './unit-writer.ts';

export type DocumentName = Pick<DocumentRow, 'organization' | 'id'>;

interface DocumentRecord {
  readonly no: number;
  readonly metadata: string | null;
  readonly row: string;
}

/** Writes the tables of documents and units, inside the transaction of its caller. */
export class DocumentWriter {
  readonly #partitions: PartitionDirectory;
  readonly #log: EntryLog;
  readonly #units: UnitWriter;
  readonly #metadata: MetadataWriter;
  readonly #languages: LanguageWriter;
  readonly #left: LeftUnitWriter;
  readonly #formerTags: FormerTagWriter;
  readonly #spaces: SpaceNumbers;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #findFormers: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#partitions = new PartitionDirectory(db);
    this.#log = new EntryLog(db, this.#partitions);
    this.#units = new UnitWriter(db, this.#partitions, this.#log);
    this.#metadata = new MetadataWriter(db);
    this.#languages = new LanguageWriter(db);
    this.#left = new LeftUnitWriter(db);
    this.#formerTags = new FormerTagWriter(db);
    this.#spaces = new SpaceNumbers(db);
    this.#find = db.prepare('SELECT no, metadata, row FROM documents WHERE organization = ? AND id = ?');
    this.#insert = db.prepare(
      `INSERT INTO documents (created_at, updated_at, stage, space, is_summarized, custom_id, source, filepath, type, metadata, row,
        partition, inactive_from, expires_at, text_hash, is_static, active_from, replaced_at, valid_from, valid_until, part_of, no,
        organization, id, sent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE documents SET created_at = ?, updated_at = ?, stage = ?, space = ?, is_summarized = ?, custom_id = ?, source = ?,
        filepath = ?, type = ?, metadata = ?, row = ?, partition = ?, inactive_from = ?, expires_at = ?, text_hash = ?,
        is_static = ?, active_from = ?, replaced_at = ?, valid_from = ?, valid_until = ?, part_of = ?, no = ? WHERE no = ?`,
    );
    this.#findFormers = db.prepare(
      `SELECT id FROM documents WHERE organization = ? AND part_of = ? AND type = 'former'`,
    );
    this.#delete = db.prepare('DELETE FROM documents WHERE no = ?');
  }

  /** @returns whether words that were there before are gone */
  write(change: DocumentChange): boolean {
    const found = this.#found(change.kind === 'delete' ? change : change.row);
    const stored = found && cutsOf(found);
    let erases = false;
    for (const piece of pieceChanges(change, stored)) erases = this.write(piece) || erases;
    if (change.kind === 'delete') {
      for (const former of found === undefined ? [] : this.#formersOf(change, found))
        erases = this.write(former) || erases;
      return this.#erase(found) || erases;
    }
    const erasesOwn = this.#upsert(change.row, change.units, found, stored !== undefined);
    return erasesOwn || erases;
  }

  /** @throws RangeError if the document has no row */
  mustHaveNumber(document: DocumentName): number {
    return this.#mustFind(document).no;
  }

  #mustFind(document: DocumentName): DocumentRecord {
    const found = this.#found(document);
    if (found === undefined) throw new RangeError(`the document ${document.id} has no row`);
    return found;
  }

  /** Whether searches find units of a document. */
  isFound(document: DocumentName): boolean {
    const no = this.#numberOf(document);
    return no !== null && this.#units.isFound(no);
  }

  /** Removes units that were written without their entries. */
  removeUnfound(document: DocumentName): boolean {
    const no = this.#numberOf(document);
    return no !== null && !this.#units.isFound(no) && this.#units.remove(no);
  }

  /** Writes units of a document that has a row; searches find them with `addEntries`. */
  addUnits(document: DocumentName, units: readonly Unit[]): void {
    this.#units.insertUnits(this.mustHaveNumber(document), units);
  }

  addEntries(document: DocumentName, entries: EntryFile): void {
    const { no, row } = this.#mustFind(document);
    this.#languages.set(no, (JSON.parse(row) as Pick<DocumentRow, 'language'>).language, false);
    this.#units.copyEntries(no, entries);
  }

  /** Writes what a batch has collected; the last step before its commit. */
  flush(): void {
    this.#partitions.flush();
    this.#log.shorten();
  }

  /** Forgets what a batch that was rolled back has collected. */
  reset(): void {
    this.#partitions.reset();
    this.#spaces.reset();
    this.#log.reset();
  }

  #found({ organization, id }: DocumentName): DocumentRecord | undefined {
    return this.#find.get(toColumn(organization), toColumn(id)) as DocumentRecord | undefined;
  }

  /** Returns the deletions of the rows of units that have left a document. */
  #formersOf(
    { organization, id, revision }: DocumentChange & { readonly kind: 'delete' },
    { row }: DocumentRecord,
  ): DocumentChange[] {
    if (!row.includes('"hasFormers":')) return [];
    const rows = this.#findFormers.all(toColumn(organization), toColumn(id)) as unknown as { id: string }[];
    return rows.map((former) => ({ kind: 'delete', organization, id: fromColumn(former.id), revision }));
  }

  #numberOf(document: DocumentName): number | null {
    return this.#found(document)?.no ?? null;
  }

  #upsert(
    row: DocumentRow,
    units: UnitSet | UnitChanges | undefined,
    found: DocumentRecord | undefined,
    wasCut: boolean,
  ): boolean {
    const organization = toColumn(row.organization);
    const no = this.#numberFor(row, found);
    const { row: json, metadata } = rowColumns(row);
    const valid = isOfLeftUnits(row) ? (row.piece?.cut ?? ALWAYS) : validityOf(row);
    const columns = [
      row.createdAt,
      row.updatedAt,
      stageNumber(row.stage),
      this.#spaces.of(spaceOfRow(row)),
      row.isSummarized ? 1 : 0,
      toColumnOrNull(row.customId),
      toColumnOrNull(row.source),
      toColumnOrNull(row.filepath),
      toColumn(row.type),
      metadata,
      json,
      partitionOf(no),
      row.memory?.inactiveFrom ?? (row.piece?.isFormer ? null : row.piece?.until) ?? null,
      row.memory?.expiresAt ?? null,
      row.memory?.textHash ?? null,
      row.memory?.isStatic ? 1 : null,
      row.piece?.from ?? null,
      row.piece?.isFormer ? (row.piece.until ?? NEVER.from) : null,
      valid.from,
      valid.until,
      toColumnOrNull(row.piece?.documentId ?? null),
      no,
    ] as const;

    if (found === undefined) {
      this.#insert.run(...columns, organization, toColumn(row.id), sentColumn(row));
      this.#partitions.added(partitionOf(no));
    } else {
      this.#update.run(...columns, found.no);
      if (found.no !== no) this.#move(found.no, no);
    }
    const storedBefore = found === undefined ? 0 : storedBytesOf(found);
    if (found !== undefined) this.#partitions.stored(partitionOf(found.no), -storedBefore);
    this.#partitions.stored(partitionOf(no), row.storedBytes ?? 0);
    if (row.cuts !== undefined || wasCut) this.#left.write(no, row.cuts?.leftOut ?? []);
    if (metadata !== (found?.metadata ?? null)) {
      if (found?.metadata) this.#metadata.delete(no);
      this.#metadata.insert(no, row);
    }
    this.#writeFormerTags(no, row, found);
    if (units !== undefined) this.#languages.set(no, units.language ?? null, found === undefined);
    const unitsGone = units !== undefined && this.#writeUnits(no, row, units, found === undefined);
    if (found === undefined) return false;
    const metadataGone = found.metadata !== null && found.metadata !== metadata;
    return unitsGone || metadataGone || losesWords(found.row, row);
  }

  /** Few rows have any. */
  #writeFormerTags(no: number, row: DocumentRow, found: DocumentRecord | undefined): void {
    if (found?.row.includes('"formerTags":')) this.#formerTags.delete(no);
    this.#formerTags.insert(no, row);
  }

  /** @returns whether words that were there before are gone */
  #writeUnits(no: number, row: DocumentRow, units: UnitSet | UnitChanges, isNew: boolean): boolean {
    checkNamed(row, units);
    const space = this.#spaces.of(spaceOfRow(row));
    const second = this.#spaces.of(secondSpaceOf(row));
    if (!isNew || 'put' in units) return this.#units.replace(no, space, second, units);
    this.#units.insert(no, units.vectors === null ? NO_SPACE : space, second, units);
    return false;
  }

  #numberFor(row: DocumentRow, found: DocumentRecord | undefined): number {
    const stays = found !== undefined && this.#partitions.fits(partitionOf(found.no), row);
    return stays ? found.no : this.#partitions.place(row);
  }

  /** @returns whether there was such a document */
  #erase(found: DocumentRecord | undefined): boolean {
    if (found === undefined) return false;
    this.#units.remove(found.no);
    this.#metadata.delete(found.no);
    this.#languages.delete(found.no);
    this.#left.write(found.no, []);
    this.#formerTags.delete(found.no);
    this.#delete.run(found.no);
    this.#partitions.removed(partitionOf(found.no));
    this.#partitions.stored(partitionOf(found.no), -storedBytesOf(found));
    return true;
  }

  /** Moves what belongs to a document to its new number. */
  #move(from: number, to: number): void {
    this.#partitions.removed(partitionOf(from));
    this.#partitions.added(partitionOf(to));
    this.#metadata.move(from, to);
    this.#languages.move(from, to);
    this.#left.move(from, to);
    this.#formerTags.move(from, to);
    this.#units.move(from, to);
  }
}

const storedBytesOf = ({ row }: DocumentRecord): number => Number(/"storedBytes":(\d+)/.exec(row)?.[1] ?? 0);

/** Few rows have any. */
const cutsOf = ({ row }: DocumentRecord): Cuts | undefined =>
  row.includes('"cuts":') ? (JSON.parse(row) as Pick<DocumentRow, 'cuts'>).cuts : undefined;
