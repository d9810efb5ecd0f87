import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDiskFault } from '#platform/sqlite';
import type { Position } from '#ports/event-store';
import type { Unit } from '../../documents.ts';
import type { BuildingModel, LeftOutRows, RowTable } from '../../rows.ts';
import { toColumn } from '../../text.ts';
import type { ViewsChange, ViewsWriter } from '../../writer-port.ts';
import { isDamage, translatingErrors } from './damage.ts';
import { DocumentBuild } from './document-build.ts';
import { DOCUMENT_TABLES } from './document-tables.ts';
import { type DocumentName, DocumentWriter } from './document-writer.ts';
import { EntryFile } from './entry-file.ts';
import { prepareModels } from './read-models.ts';
import { RowWriter } from './row-writer.ts';
import { attachForWriting, madeFor, type OpenOutcome, openForWriting, removeViews } from './schema.ts';
import { WalPurge } from './wal-purge.ts';

export interface SqliteViewsWriterOptions {
  readonly path: string;
  /** Vector space of views that are created. */
  readonly space?: string;
  /** Read models beside the documents. */
  readonly tables?: readonly RowTable[];
  /** Milliseconds from a batch that replaced or deleted something to the truncation of the write-ahead log. Default: 10000. */
  readonly purgeAfter?: number;
  /** A longer write-ahead log is truncated at once. Bytes. Default: 24 MiB. */
  readonly longestLog?: number;
}

const PURGE_AFTER_MS = 10_000;
/** With the space that is reserved for it, less than what `MNEME_MIN_FREE_MB` keeps free by default. Bytes. */
const LONGEST_LOG = 24 * 1024 * 1024;

interface Checkpoint {
  readonly position: Position;
  readonly written: Position;
}

/** A file, and whether this is the process that has opened it first. */
interface ViewsFile {
  readonly db: DatabaseSync;
  readonly opened: OpenOutcome;
  readonly isOwner: boolean;
}

/**
 * The write side of the views in one SQLite file. Every call does its work before it returns. For the projection
 * thread.
 */
export class SqliteViewsWriter implements ViewsWriter {
  /** `created` and `dropped`: the file is empty, the log has to be replayed from its beginning. */
  readonly opened: OpenOutcome;

  readonly #db: DatabaseSync;
  readonly #purge: WalPurge;
  readonly #documents: DocumentWriter;
  readonly #documentBuild: DocumentBuild;
  readonly #rows: ReadonlyMap<string, RowWriter>;
  readonly #building: Map<string, BuildingModel>;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #rollback: StatementSync;
  readonly #readCheckpoint: StatementSync;
  readonly #writeCheckpoint: StatementSync;
  readonly #writeWritten: StatementSync;
  readonly #writeRecord: StatementSync;
  readonly #leaveOut: StatementSync;

  /** Creates the file where there is none, and again where it has another shape or is damaged. */
  static open(options: SqliteViewsWriterOptions): SqliteViewsWriter {
    return translatingErrors(() => SqliteViewsWriter.#open(options));
  }

  static #open(options: SqliteViewsWriterOptions): SqliteViewsWriter {
    let found: ReturnType<typeof openForWriting> | undefined;
    try {
      found = openForWriting(options.path, options.space);
      return new SqliteViewsWriter(options, { ...found, isOwner: true });
    } catch (error) {
      found?.db.close();
      if (!isDamage(error)) throw error;
    }
    removeViews(options.path);
    return new SqliteViewsWriter(options, {
      ...openForWriting(options.path, options.space),
      opened: 'dropped',
      isOwner: true,
    });
  }

  /**
   * Opens the file that another process has opened, to write ahead of its checkpoint. It may write at the same time.
   * @throws ViewsDamagedError if there is no usable file
   */
  static attach(options: SqliteViewsWriterOptions): SqliteViewsWriter {
    return translatingErrors(
      () => new SqliteViewsWriter(options, { db: attachForWriting(options.path), opened: 'found', isOwner: false }),
    );
  }

  private constructor(
    { path, tables = [], purgeAfter: after = PURGE_AFTER_MS, longestLog = LONGEST_LOG }: SqliteViewsWriterOptions,
    { db, opened, isOwner }: ViewsFile,
  ) {
    this.#db = db;
    this.opened = opened;
    this.#purge = new WalPurge({ path, db, after, longest: longestLog, reserves: isOwner });
    this.#building = new Map(prepareModels(db, tables).map((model) => [model.name, model]));
    this.#documents = new DocumentWriter(db);
    this.#documentBuild = new DocumentBuild(db);
    this.#rows = new Map(tables.map((table) => [table.name, new RowWriter(db, table)]));
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#end = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#readCheckpoint = db.prepare('SELECT position, written FROM checkpoint');
    this.#writeCheckpoint = db.prepare('INSERT OR REPLACE INTO checkpoint (one, position, written) VALUES (1, ?1, ?1)');
    this.#writeWritten = db.prepare('UPDATE checkpoint SET written = ?');
    this.#writeRecord = db.prepare('UPDATE read_models SET after = ?, until = ? WHERE name = ?');
    this.#leaveOut = db.prepare('INSERT OR REPLACE INTO left_out_rows (model, stream, reason) VALUES (?, ?, ?)');
    // Finds damage while the file can still be replaced.
    this.#readCheckpoint.get();
    // A writer that crashed may have left removed rows in the log.
    this.#purge.attempt();
  }

  async checkpoint(): Promise<Position | null> {
    return this.#checkpoint()?.position ?? null;
  }

  async positions(): Promise<readonly Position[]> {
    const row = this.#checkpoint();
    return row === undefined ? [] : [row.position, row.written];
  }

  async vectorSpace(): Promise<string | null> {
    return translatingErrors(() => madeFor(this.#db));
  }

  /**
   * @throws what a change or SQLite refuses; then nothing of the batch is kept, and it may be applied again.
   * @throws ViewsDamagedError if the file has to be rebuilt
   */
  async apply(changes: readonly ViewsChange[], checkpoint: Position): Promise<void> {
    translatingErrors(() => this.#write(changes, () => this.#writeCheckpoint.run(checkpoint)));
  }

  /** Writes changes without a checkpoint: after a crash they have to be written again. @throws as `apply` */
  async writeAhead(changes: readonly ViewsChange[]): Promise<void> {
    translatingErrors(() => this.#write(changes, () => {}));
  }

  /** Whether searches find units of a document. */
  isFound(document: DocumentName): boolean {
    return translatingErrors(() => this.#documents.isFound(document));
  }

  /**
   * Writes units of a document in several transactions, between which other changes can be written: first `removeUnfound`,
   * then `addUnits` as often as needed, in their order, and `addEntries`, with which searches find them. Everything else that
   * replaces or removes the units of the document also takes what has been written so far.
   * @throws as `apply`
   */
  removeUnfound(document: DocumentName): void {
    this.#writeUnits(() => this.#documents.removeUnfound(document));
  }

  /** @throws as `apply` */
  addUnits(document: DocumentName, units: readonly Unit[]): void {
    this.#writeUnits(() => {
      this.#documents.addUnits(document, units);
      return false;
    });
  }

  /** The number of a document that has a row, for `writeEntryFile`; it may change. @throws RangeError if it has none */
  numberOf(document: DocumentName): number {
    return translatingErrors(() => this.#documents.mustHaveNumber(document));
  }

  /** @param path of a file that `writeEntryFile` has written, with the entries of all units. @throws as `apply` */
  addEntries(document: DocumentName, path: string): void {
    translatingErrors(() =>
      EntryFile.with(this.#db, path, (entries) =>
        this.#transaction(() => {
          this.#documents.addEntries(document, entries);
          return false;
        }),
      ),
    );
  }

  /** To be called after another process has written to the file. */
  refresh(): void {
    translatingErrors(() => this.#documents.reset());
  }

  /** @throws as `apply` */
  async report(position: Position): Promise<void> {
    translatingErrors(() => this.#write([], () => this.#writeWritten.run(position)));
  }

  async leaveOut(rows: readonly LeftOutRows[]): Promise<void> {
    this.#writeUnits(() => {
      for (const { model, stream, reason } of rows) this.#leaveOut.run(model, toColumn(stream), reason);
      return false;
    });
  }

  building(): readonly BuildingModel[] {
    return [...this.#building.values()];
  }

  /** @throws as `apply` */
  async build(name: string, changes: readonly ViewsChange[], after: Position | null): Promise<void> {
    const model = this.#building.get(name);
    if (model === undefined) throw new RangeError(`the read model ${name} is not being built`);
    const until = after === null ? null : model.until;
    translatingErrors(() =>
      this.#write(changes, () => {
        if (after === null && name === DOCUMENT_TABLES.name) this.#documentBuild.end();
        this.#writeRecord.run(after, until, name);
      }),
    );
    if (after === null) this.#building.delete(name);
    else this.#building.set(name, { ...model, after });
  }

  /**
   * Moves the write-ahead log into the file and truncates it, so that neither holds what was deleted or replaced. Runs by
   * itself some time after such a batch.
   * @returns false: a reader held the log; to be called again
   * @throws what SQLite or the file system refuses, e.g. on a full disk; nothing is lost then
   */
  purge(): boolean {
    return this.#purge.run();
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) this.#purge.close(() => this.#db.close());
  }

  #checkpoint(): Checkpoint | undefined {
    return translatingErrors(() => this.#readCheckpoint.get()) as Checkpoint | undefined;
  }

  #writeUnits(write: () => boolean): void {
    translatingErrors(() => this.#transaction(write));
  }

  /** Writes all changes and the position in one transaction. */
  #write(changes: readonly ViewsChange[], writePosition: () => void): void {
    this.#transaction(() => {
      let erases = false;
      for (const change of changes) erases = this.#writeChange(change) || erases;
      writePosition();
      return erases;
    });
  }

  /**
   * Writes in one transaction; on a full disk again, after the log has been emptied.
   * @param write returns whether something that was there before is gone
   */
  #transaction(write: () => boolean): void {
    this.#purge.checkLength();
    try {
      this.#commit(write);
    } catch (error) {
      if (!isDiskFault(error) || !this.#purge.makeRoom()) throw error;
      try {
        this.#commit(write);
      } catch (again) {
        // What was written in vain takes up the last space.
        this.#purge.makeRoom();
        throw again;
      }
    }
    this.#purge.written();
  }

  #commit(write: () => boolean): void {
    let erases = false;
    this.#begin.run();
    try {
      erases = write();
      this.#documents.flush();
      this.#end.run();
    } catch (error) {
      // SQLite rolls back on its own when the disk is full.
      if (this.#db.isTransaction) this.#rollback.run();
      this.#documents.reset();
      throw error;
    }
    if (erases) this.#purge.due();
  }

  /** @returns whether something that was there before is gone */
  #writeChange(change: ViewsChange): boolean {
    if (change.kind !== 'rows') {
      if (this.#building.has(DOCUMENT_TABLES.name) && this.#documentBuild.isOvertaken(change)) return false;
      return this.#documents.write(change);
    }
    const writer = this.#rows.get(change.model);
    if (writer === undefined) throw new RangeError(`there is no read model '${change.model}'`);
    return writer.write(change);
  }
}
