import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { inTransaction, type TruncationResult, truncateWal } from '#platform/sqlite';
import { fits, isRepeat } from '../../expected-revision.ts';
import type { EventFilter, ExpectedRevision } from '../../port.ts';
import type { EventRef } from '../../positions.ts';
import { COLUMNS, readLog } from './log-query.ts';
import { BUSY_TIMEOUT } from './schema.ts';
import { Statements } from './statements.ts';
import {
  type AllReply,
  type AppendReply,
  NEW_WIDTH,
  type NewAppend,
  type NewRows,
  type StreamReply,
  type TogetherReply,
} from './wire.ts';

interface Stream {
  readonly no: number;
  readonly category: number;
  readonly revision: number;
  readonly erased: number;
}

/** The event log in one SQLite database: synchronous, for one thread. Call methods that write inside `transaction`. */
export class SqliteLog {
  readonly storeId: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #categories = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.storeId = (db.prepare('SELECT id FROM store').get() as { id: string }).id;
  }

  transaction<T>(work: () => T): T {
    try {
      return inTransaction(this.#db, work);
    } catch (error) {
      this.#categories.clear();
      throw error;
    }
  }

  append(name: string, rows: NewRows, expected: ExpectedRevision, erase: boolean): AppendReply {
    const stream = this.#stream(name);
    const actual = stream?.revision ?? 'no-stream';
    const stored = stream ? this.#storedOf(stream, rows) : [];
    if (stored.length > 0) {
      const last = stored.at(-1) as StoredAt;
      if (!isRepeat(stored, rows.length / NEW_WIDTH, expected, actual)) return { actual };
      if (erase) this.erase(name);
      return { revision: last.revision, position: last.position, erased: erase || stream?.erased === 1 };
    }
    if (!fits(expected, actual, actual)) return { actual };

    // Erasing first leaves space for the event that records the erasure.
    if (erase && stream) this.#erase(stream.no);
    const erased = erase || stream?.erased === 1;
    return { ...this.#insert(stream ?? this.#create(name), rows, erased), erased };
  }

  /** Appends to several streams, all or nothing. The events are new, so no stream holds any of them. */
  appendTogether(appends: readonly NewAppend[]): TogetherReply {
    const known = new Map<string, Stream | undefined>();
    const conflicts = appends.filter(([name, , expected]) => {
      // An append that follows another one to the same stream is at the revision after it.
      if (known.has(name)) return false;
      const stream = this.#stream(name);
      known.set(name, stream);
      const actual = stream?.revision ?? 'no-stream';
      return !fits(expected, actual, actual);
    });
    if (conflicts.length > 0) return { conflicts: conflicts.map(([name]) => name) };
    const appended = appends.map(([name, rows]) => {
      const stream = known.get(name) ?? this.#stream(name) ?? this.#create(name);
      known.delete(name);
      const erased = stream.erased === 1;
      return { ...this.#insert(stream, rows, erased), erased };
    });
    return { appended };
  }

  /** Removes every payload and snapshot of a stream if it exists. */
  erase(name: string): void {
    const stream = this.#stream(name);
    if (stream?.erased === 0) this.#erase(stream.no);
  }

  readStream(name: string, from: number, limit: number): StreamReply {
    const stream = this.#stream(name);
    if (!stream) return { rows: [], revision: 'no-stream', erased: false };
    const rows =
      from > stream.revision
        ? []
        : this.#statements.rows(
            `SELECT ${COLUMNS} WHERE e.stream = ? AND e.revision >= ? ORDER BY e.revision LIMIT ?`,
            [stream.no, from, limit],
          );
    return { rows, revision: stream.revision, erased: stream.erased === 1 };
  }

  readAll(after: number, limit: number, filter: EventFilter, envelopesOnly: boolean): AllReply {
    const categories = filter.categories?.map((name) => this.#category(name)).filter((no) => no !== undefined);
    const range = { after, head: this.head(), limit, filter, categories, envelopesOnly };
    const { rows, position, end } = readLog(this.#statements, range);
    return { rows, examined: this.eventAt(position), end };
  }

  /** Returns the position of the newest event; 0: empty log. */
  head(): number {
    return this.#statements.number('SELECT max(position) FROM events', []) ?? 0;
  }

  /** Returns the event at a position. Null: the log has no event there. */
  eventAt(position: number): EventRef | null {
    const row = this.#statements.row('SELECT id FROM events WHERE position = ?', [position]);
    return row === undefined ? null : { position, id: row[0] as string };
  }

  saveSnapshot(name: string, revision: number, model: string, state: string): void {
    const stream = this.#stream(name);
    if (!stream || stream.erased === 1) return;
    const current: number | undefined = this.#statements.number(
      'SELECT revision FROM snapshots WHERE stream = ? AND name = ? AND state IS NOT NULL',
      [stream.no, model],
    );
    if (current !== undefined && current >= revision) return;
    this.#statements.run('UPDATE snapshots SET state = NULL WHERE stream = ? AND name = ? AND state IS NOT NULL', [
      stream.no,
      model,
    ]);
    this.#statements.run('INSERT INTO snapshots (stream, name, revision, state) VALUES (?, ?, ?, ?)', [
      stream.no,
      model,
      revision,
      state,
    ]);
  }

  loadSnapshot(name: string, model: string): { readonly revision: number; readonly state: string } | null {
    const row = this.#statements.row(
      `SELECT n.revision, n.state FROM snapshots n JOIN streams s ON s.no = n.stream
       WHERE s.name = ? AND n.name = ? AND n.state IS NOT NULL`,
      [name, model],
    );
    return row ? { revision: row[0] as number, state: row[1] as string } : null;
  }

  truncateWal(): TruncationResult {
    return truncateWal(this.#db, BUSY_TIMEOUT);
  }

  close(): void {
    this.#db.close();
  }

  #stream(name: string): Stream | undefined {
    const row = this.#statements.row('SELECT no, category, revision, erased FROM streams WHERE name = ?', [name]);
    if (!row) return undefined;
    const [no, category, revision, erased] = row as [number, number, number, number];
    return { no, category, revision, erased };
  }

  /** Returns where the stream holds events of `rows` already, in their order. */
  #storedOf(stream: Stream, rows: NewRows): StoredAt[] {
    const stored: StoredAt[] = [];
    for (let at = 0; at < rows.length; at += NEW_WIDTH) {
      const row = this.#statements.row('SELECT revision, position FROM events WHERE stream = ? AND id = ?', [
        stream.no,
        rows[at] as string,
      ]);
      if (row) stored.push({ revision: row[0] as number, position: row[1] as number });
    }
    return stored;
  }

  #create(name: string): Stream {
    const categoryName = name.split('-', 1)[0] as string;
    let category = this.#category(categoryName);
    if (category === undefined) {
      category = Number(
        this.#statements.run('INSERT INTO categories (name) VALUES (?)', [categoryName]).lastInsertRowid,
      );
      this.#categories.set(categoryName, category);
    }
    const { lastInsertRowid } = this.#statements.run(
      'INSERT INTO streams (name, category, revision) VALUES (?, ?, -1)',
      [name, category],
    );
    return { no: Number(lastInsertRowid), category, revision: -1, erased: 0 };
  }

  #insert(stream: Stream, rows: NewRows, erased: boolean): { revision: number; position: number } {
    let { revision } = stream;
    let position = 0;
    for (let at = 0; at < rows.length; at += NEW_WIDTH) {
      const [id, type, organization, envelope, payload] = rows.slice(at, at + NEW_WIDTH) as SQLInputValue[];
      const inserted = this.#statements.run(
        `INSERT INTO events (category, stream, revision, id, type, organization, envelope, payload)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          stream.category,
          stream.no,
          ++revision,
          id as string,
          type as string,
          organization as string,
          envelope as string,
          erased ? null : (payload as string | null),
        ],
      );
      position = Number(inserted.lastInsertRowid);
    }
    this.#statements.run('UPDATE streams SET revision = ?, erased = ? WHERE no = ?', [
      revision,
      erased ? 1 : 0,
      stream.no,
    ]);
    return { revision, position };
  }

  #erase(stream: number): void {
    this.#statements.run('UPDATE events SET payload = NULL WHERE stream = ? AND payload IS NOT NULL', [stream]);
    this.#statements.run('UPDATE snapshots SET state = NULL WHERE stream = ? AND state IS NOT NULL', [stream]);
    this.#statements.run('UPDATE streams SET erased = 1 WHERE no = ?', [stream]);
  }

  #category(name: string): number | undefined {
    const cached = this.#categories.get(name);
    if (cached !== undefined) return cached;
    const no = this.#statements.number('SELECT no FROM categories WHERE name = ?', [name]);
    if (no !== undefined) this.#categories.set(name, no);
    return no;
  }
}

interface StoredAt {
  readonly revision: number;
  readonly position: number;
}
