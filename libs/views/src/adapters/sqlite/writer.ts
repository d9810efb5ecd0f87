import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position } from '#event-store';
import type { Metadata, OrganizationId } from '#kernel';
import { metadataRows } from '#search';
import { spaceOfRow } from '../../one-space.ts';
import type { DocumentChange, DocumentRow, Unit, UnitKind, UnitSet, ViewsWriter } from '../../port.ts';
import { toColumn, toColumnOrNull } from '../../text.ts';
import { isDamage, translatingErrors } from './damage.ts';
import { EntryTable, entryOf, NO_SPACE } from './entries.ts';
import { KINDS, kindNumber, partitionOf } from './numbers.ts';
import { PartitionDirectory } from './partitions.ts';
import { losesWords, rowColumns, stageNumber, UNIT_COLUMNS } from './rows.ts';
import { BUSY_MS, madeFor, type Opened, openForWriting, removeViews } from './schema.ts';
import { PageScrubber, pagesInLog } from './scrub.ts';

export interface SqliteViewsWriterOptions {
  readonly path: string;
  /** The vector space that the views are made for, where they are made. */
  readonly space?: string;
  /** Milliseconds from a batch that replaced or deleted something to the truncation of the write-ahead log; 10,000 unless told. */
  readonly purgeAfter?: number;
}

const PURGE_AFTER_MS = 10_000;
/** Readers hold the log for the length of a search; after this pause the next try will hardly meet one again. */
const PURGE_RETRY_MS = 250;
/** How long one try may wait for readers. The writer stands still meanwhile. */
const PURGE_WAIT_MS = 50;

/** The write-ahead log is emptied when it is larger, or after the batch that follows if a reader is in the way. */
const LARGEST_LOG = 128 * 1024 * 1024;

/** Changes of entries that stay on record; a reader that missed more of them reads the partition again. */
const LOGGED_CHANGES = 20_000;
/** The record is cut when it is this much longer, so that cutting is rare. */
const LOG_SLACK = 5_000;

interface Found {
  readonly no: number;
  readonly metadata: string | null;
  readonly row: string;
}

/**
 * The write side of the views in one SQLite file. Every call does its work before it returns; the promises are those of
 * the port. Meant for the thread that runs the projections.
 */
export class SqliteViewsWriter implements ViewsWriter {
  /** `created` and `dropped`: the file is empty, the log has to be replayed from its beginning. */
  readonly opened: Opened;

  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #scrubber: PageScrubber;
  readonly #purgeAfter: number;
  readonly #partitions: PartitionDirectory;
  readonly #entries: Readonly<Record<UnitKind, EntryTable>>;
  readonly #spaces = new Map<string, number>();
  #newestChange = 0;
  #oldestChange = 0;
  /** The last purge could not be finished. */
  #held = false;
  #purgeTimer: NodeJS.Timeout | undefined;

  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #readCheckpoint: StatementSync;
  readonly #writeCheckpoint: StatementSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #insertUnit: StatementSync;
  readonly #deleteUnits: StatementSync;
  readonly #moveUnits: StatementSync;
  readonly #insertMetadata: StatementSync;
  readonly #deleteMetadata: StatementSync;
  readonly #moveMetadata: StatementSync;
  readonly #logChange: StatementSync;
  readonly #cutLog: StatementSync;
  readonly #changeRange: StatementSync;
  readonly #findSpace: StatementSync;
  readonly #insertSpace: StatementSync;

  /** Makes the file where there is none, and anew where it has another shape or is damaged. */
  static open(options: SqliteViewsWriterOptions): SqliteViewsWriter {
    return translatingErrors(() => SqliteViewsWriter.#open(options));
  }

  static #open(options: SqliteViewsWriterOptions): SqliteViewsWriter {
    let found: ReturnType<typeof openForWriting> | undefined;
    try {
      found = openForWriting(options.path, options.space);
      return new SqliteViewsWriter(options, found);
    } catch (error) {
      found?.db.close();
      if (!isDamage(error)) throw error;
    }
    removeViews(options.path);
    return new SqliteViewsWriter(options, { ...openForWriting(options.path, options.space), opened: 'dropped' });
  }

  private constructor(
    { path, purgeAfter = PURGE_AFTER_MS }: SqliteViewsWriterOptions,
    { db, opened }: { readonly db: DatabaseSync; readonly opened: Opened },
  ) {
    this.#path = path;
    this.#db = db;
    this.#scrubber = new PageScrubber(path);
    this.opened = opened;
    this.#purgeAfter = purgeAfter;
    this.#partitions = new PartitionDirectory(db);
    this.#entries = { chunk: new EntryTable(db, 'chunk'), memory: new EntryTable(db, 'memory') };

    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#readCheckpoint = db.prepare('SELECT position FROM checkpoint');
    this.#writeCheckpoint = db.prepare('INSERT OR REPLACE INTO checkpoint (one, position) VALUES (1, ?)');
    this.#find = db.prepare('SELECT no, metadata, row FROM documents WHERE organization = ? AND id = ?');
    this.#insert = db.prepare(
      `INSERT INTO documents (created_at, updated_at, stage, space, custom_id, source, filepath, metadata, row, partition, no,
        organization, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE documents SET created_at = ?, updated_at = ?, stage = ?, space = ?, custom_id = ?, source = ?, filepath = ?,
        metadata = ?, row = ?, partition = ?, no = ? WHERE no = ?`,
    );
    this.#delete = db.prepare('DELETE FROM documents WHERE no = ?');
    this.#insertUnit = db.prepare(`INSERT INTO units (document, ${UNIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`);
    this.#deleteUnits = db.prepare('DELETE FROM units WHERE document = ?');
    this.#moveUnits = db.prepare('UPDATE units SET document = ? WHERE document = ?');
    this.#insertMetadata = db.prepare('INSERT INTO metadata VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#deleteMetadata = db.prepare('DELETE FROM metadata WHERE document = ?');
    this.#moveMetadata = db.prepare('UPDATE metadata SET document = ? WHERE document = ?');
    this.#logChange = db.prepare('INSERT INTO entry_log (change, document) VALUES (?, ?)');
    this.#cutLog = db.prepare('DELETE FROM entry_log WHERE change <= ?');
    this.#changeRange = db.prepare(
      'SELECT (SELECT min(change) FROM entry_log) AS oldest, (SELECT max(change) FROM entry_log) AS newest',
    );
    this.#findSpace = db.prepare('SELECT no FROM spaces WHERE name = ?');
    this.#insertSpace = db.prepare('INSERT INTO spaces (name) VALUES (?)');
    // Damage that shows already here is found in time.
    this.#readCheckpoint.get();
    this.#readChangeRange();
    // What a writer that died has left in the log.
    this.#attemptPurge();
  }

  async checkpoint(): Promise<Position | null> {
    const row = translatingErrors(() => this.#readCheckpoint.get()) as { position: string } | undefined;
    return row === undefined ? null : (row.position as Position);
  }

  async vectorSpace(): Promise<string | null> {
    return translatingErrors(() => madeFor(this.#db));
  }

  /**
   * @throws whatever a change or SQLite refuses; then nothing of the batch is kept, and it may be applied again.
   * ViewsDamagedError: it will not get better
   */
  async apply(changes: readonly DocumentChange[], checkpoint: Position): Promise<void> {
    translatingErrors(() => this.#apply(changes, checkpoint));
  }

  /**
   * Brings the write-ahead log into the file and empties it, so that what was deleted or replaced is in neither. The
   * writer calls it itself, some time after every batch that has to be purged.
   * @returns false: a reader held the log; to be called again
   * @throws what SQLite or the file system refuses, e.g. on a full disk; nothing is lost then
   */
  purge(): boolean {
    const pages = pagesInLog(this.#path);
    this.#db.exec(`PRAGMA busy_timeout = ${PURGE_WAIT_MS}`);
    try {
      if (!this.#checkpointLog('FULL')) return false;
      this.#scrubber.scrub(pages);
      // The pages in memory are as they were before; written again, they would bring back what was scrubbed.
      this.#db.exec('PRAGMA shrink_memory');
      // The log is emptied last: whatever dies before, its pages are still known to the next purge.
      return this.#checkpointLog('TRUNCATE');
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#purgeTimer);
    if (!this.#db.isOpen) return;
    this.#purged();
    this.#db.close();
    this.#scrubber.close();
  }

  #apply(changes: readonly DocumentChange[], checkpoint: Position): void {
    let erases = false;
    this.#begin.run();
    try {
      for (const change of changes) {
        const replaced =
          change.kind === 'delete'
            ? this.#erase(change.organization, change.id)
            : this.#upsert(change.row, change.units);
        erases = replaced || erases;
      }
      this.#partitions.flush();
      this.#shortenLog();
      this.#writeCheckpoint.run(checkpoint);
      this.#commit.run();
    } catch (error) {
      this.#undo();
      throw error;
    }
    // While a reader holds the log, the timer tries again: not every batch, for an attempt costs more than a batch.
    if (!this.#held && statSync(`${this.#path}-wal`).size > LARGEST_LOG) this.#attemptPurge();
    if (erases) this.#purgeIn(this.#purgeAfter);
  }

  /** @returns whether all of it was done */
  #checkpointLog(mode: 'FULL' | 'TRUNCATE'): boolean {
    const { busy } = this.#db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number };
    return busy === 0;
  }

  /** A purge that failed is one to be tried again: the batches before it are stored all the same. */
  #purged(): boolean {
    try {
      return this.purge();
    } catch {
      return false;
    }
  }

  #attemptPurge(): void {
    clearTimeout(this.#purgeTimer);
    this.#purgeTimer = undefined;
    this.#held = !this.#purged();
    if (this.#held) this.#purgeIn(PURGE_RETRY_MS);
  }

  #purgeIn(milliseconds: number): void {
    this.#purgeTimer ??= setTimeout(() => this.#attemptPurge(), milliseconds).unref();
  }

  #undo(): void {
    // A full disk makes SQLite roll back on its own.
    if (this.#db.isTransaction) this.#rollback.run();
    this.#partitions.reset();
    this.#spaces.clear();
    this.#readChangeRange();
  }

  /** @returns whether words that were there before are gone */
  #upsert(row: DocumentRow, units: UnitSet | undefined): boolean {
    const organization = toColumn(row.organization);
    const found = this.#find.get(organization, toColumn(row.id)) as Found | undefined;
    const no = this.#homeOf(row, found);
    const { row: json, metadata } = rowColumns(row);
    const columns = [
      row.createdAt,
      row.updatedAt,
      stageNumber(row.stage),
      this.#space(spaceOfRow(row)),
      toColumnOrNull(row.customId),
      toColumnOrNull(row.source),
      toColumnOrNull(row.filepath),
      metadata,
      json,
      partitionOf(no),
      no,
    ] as const;

    const unitsGone = found !== undefined && units !== undefined && this.#removeUnits(found.no);
    if (found === undefined) {
      this.#insert.run(...columns, organization, toColumn(row.id));
      this.#partitions.added(partitionOf(no));
    } else {
      this.#update.run(...columns, found.no);
      if (found.no !== no) this.#move(found.no, no);
    }
    if (metadata !== (found?.metadata ?? null)) {
      if (found?.metadata) this.#deleteMetadata.run(no);
      this.#writeMetadata(no, row.metadata);
    }
    if (units !== undefined) this.#writeUnits(no, spaceOfRow(row), units);
    if (found === undefined) return false;
    const metadataGone = found.metadata !== null && found.metadata !== metadata;
    return unitsGone || metadataGone || losesWords(found.row, row);
  }

  #homeOf(row: DocumentRow, found: Found | undefined): number {
    const stays = found !== undefined && this.#partitions.fits(partitionOf(found.no), row.organization, row.tags);
    return stays ? found.no : this.#partitions.place(row.organization, row.tags);
  }

  /** @returns whether there was such a document */
  #erase(organization: OrganizationId, id: string): boolean {
    const found = this.#find.get(toColumn(organization), toColumn(id)) as Found | undefined;
    if (found === undefined) return false;
    this.#removeUnits(found.no);
    this.#deleteMetadata.run(found.no);
    this.#delete.run(found.no);
    this.#partitions.removed(partitionOf(found.no));
    return true;
  }

  /** Takes what belongs to a document along to its new number. */
  #move(from: number, to: number): void {
    this.#partitions.removed(partitionOf(from));
    this.#partitions.added(partitionOf(to));
    this.#moveMetadata.run(to, from);
    this.#moveUnits.run(to, from);
    let moved = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].move(from, to);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(from), kind, -1, -bytes);
      this.#partitions.entries(partitionOf(to), kind, 1, bytes);
      moved = true;
    }
    if (moved) {
      this.#log(from);
      this.#log(to);
    }
  }

  /** @returns whether there were any */
  #removeUnits(no: number): boolean {
    const { changes } = this.#deleteUnits.run(no);
    let removed = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].delete(no);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(no), kind, -1, -bytes);
      removed = true;
    }
    if (removed) this.#log(no);
    return Number(changes) > 0;
  }

  #writeUnits(no: number, vectorSpace: string | null, set: UnitSet): void {
    for (const unit of set.units) this.#writeUnit(no, unit);
    if (set.vectors !== null && vectorSpace === null) throw new RangeError('vectors without the name of their space');
    const space = set.vectors === null ? NO_SPACE : this.#space(vectorSpace);
    let written = false;
    for (const kind of KINDS) {
      const entry = entryOf(set, kind);
      if (entry === null) continue;
      this.#entries[kind].insert(no, space, entry);
      this.#partitions.entries(partitionOf(no), kind, 1, entry.length);
      written = true;
    }
    if (written) this.#log(no);
  }

  #writeUnit(no: number, unit: Unit): void {
    this.#insertUnit.run(
      no,
      kindNumber(unit.kind),
      unit.ordinal,
      toColumn(unit.id),
      toColumn(unit.text),
      toColumnOrNull(unit.speaker),
    );
  }

  #writeMetadata(no: number, metadata: Metadata | null): void {
    metadataRows(metadata).forEach((row, place) => {
      const folded = row.folded === row.text ? null : row.folded;
      const flags = [row.isNumber, row.whole, row.element].map(Number) as [number, number, number];
      this.#insertMetadata.run(no, row.key, place, row.text, folded, row.number, ...flags);
    });
  }

  /** Notes that the entries of a document are not what they were, for readers that hold them. */
  #log(document: number): void {
    this.#newestChange += 1;
    this.#logChange.run(this.#newestChange, document);
    this.#partitions.changed(partitionOf(document), this.#newestChange);
  }

  #shortenLog(): void {
    if (this.#newestChange - this.#oldestChange < LOGGED_CHANGES + LOG_SLACK) return;
    this.#cutLog.run(this.#newestChange - LOGGED_CHANGES);
    this.#oldestChange = this.#newestChange - LOGGED_CHANGES + 1;
  }

  #readChangeRange(): void {
    const range = this.#changeRange.get() as { oldest: number | null; newest: number | null };
    this.#newestChange = range.newest ?? 0;
    this.#oldestChange = range.oldest ?? 0;
  }

  #space(name: string | null): number {
    if (name === null) return NO_SPACE;
    const known = this.#spaces.get(name);
    if (known !== undefined) return known;
    const found = this.#findSpace.get(toColumn(name)) as { no: number } | undefined;
    const no = found?.no ?? Number(this.#insertSpace.run(toColumn(name)).lastInsertRowid);
    this.#spaces.set(name, no);
    return no;
  }
}
