import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type Truncated, truncateWal } from '#sqlite';
import { fits, isRepeat } from '../../expected-revision.ts';
import type { EventFilter, ExpectedRevision } from '../../port.ts';
import { BUSY_TIMEOUT } from './schema.ts';
import { type AllReply, type AppendReply, NEW_WIDTH, type NewRows, RECORDED_WIDTH, type StreamReply } from './wire.ts';

/** How many places of the log one filtered read looks at, so that a rare match cannot hold up every writer. */
const SCAN = 20_000;

const columnsWith = (payload: string) =>
  `e.position, s.name, e.revision, e.id, e.type, e.organization, e.envelope, ${payload} FROM events e JOIN streams s ON s.no = e.stream`;
const COLUMNS = columnsWith('e.payload');
const ENVELOPE_COLUMNS = columnsWith('NULL');

interface Stream {
  readonly no: number;
  readonly category: number;
  readonly revision: number;
  readonly erased: number;
}

/** The event log in one SQLite database: synchronous, for one thread. Writes belong inside `transaction`. */
export class SqliteLog {
  readonly storeId: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #categories = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.storeId = (db.prepare('SELECT id FROM store').get() as { id: string }).id;
  }

  /** All or nothing. What `work` throws, or the commit, undoes it all and comes out. */
  transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // Some faults (a full disk among them) have ended the transaction already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#categories.clear();
      throw error;
    }
  }

  append(name: string, rows: NewRows, expected: ExpectedRevision, erase: boolean): AppendReply {
    const stream = this.#stream(name);
    const actual = stream?.revision ?? 'no-stream';
    const standing = stream ? this.#standing(stream, rows) : [];
    if (standing.length > 0) {
      const last = standing.at(-1) as Standing;
      if (!isRepeat(standing, rows.length / NEW_WIDTH, expected, actual)) return { actual };
      if (erase) this.erase(name);
      return { revision: last.revision, position: last.position, erased: erase || stream?.erased === 1 };
    }
    if (!fits(expected, actual, actual)) return { actual };

    // Before the insert: what the erased payloads leave free is then room for the event that says so.
    if (erase && stream) this.#erase(stream.no);
    const erased = erase || stream?.erased === 1;
    return { ...this.#insert(stream ?? this.#create(name), rows, erased), erased };
  }

  /** Removes every payload and snapshot of a stream; nothing if there is no such stream. */
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
        : this.#rows(`SELECT ${COLUMNS} WHERE e.stream = ? AND e.revision >= ? ORDER BY e.revision LIMIT ?`, [
            stream.no,
            from,
            limit,
          ]);
    return { rows, revision: stream.revision, erased: stream.erased === 1 };
  }

  readAll(after: number, limit: number, filter: EventFilter, envelopesOnly: boolean): AllReply {
    const columns = envelopesOnly ? ENVELOPE_COLUMNS : COLUMNS;
    const head = this.head();
    if (after >= head) return { rows: [], position: head, end: true };
    const categories = filter.categories?.map((name) => this.#category(name)).filter((no) => no !== undefined);
    const conditions: string[] = [];
    const values: SQLInputValue[] = [];
    if (filter.types) {
      conditions.push(`e.type IN (${filter.types.map(() => '?')})`);
      values.push(...filter.types);
    }
    if (filter.organization !== undefined) {
      conditions.push('e.organization = ?');
      values.push(filter.organization);
    }
    const upTo = conditions.length > 0 ? Math.min(after + SCAN, head) : head;
    const where = ['e.position > ?', 'e.position <= ?', ...conditions].join(' AND ');
    const range = [after, upTo, ...values];

    let rows: (string | number | null)[];
    if (categories?.length === 0) rows = [];
    else if (categories) {
      // One ordered walk of the index per category, merged by SQLite as far as the limit asks: documents are not touched
      // when keys are asked for.
      const walk = `SELECT ${columns} WHERE e.category = ? AND ${where}`;
      rows = this.#rows(`${categories.map(() => walk).join(' UNION ALL ')} ORDER BY 1 LIMIT ?`, [
        ...categories.flatMap((category) => [category, ...range]),
        limit,
      ]);
    } else rows = this.#rows(`SELECT ${columns} WHERE ${where} ORDER BY e.position LIMIT ?`, [...range, limit]);

    const full = rows.length === limit * RECORDED_WIDTH;
    const position = full ? (rows[rows.length - RECORDED_WIDTH] as number) : upTo;
    return { rows, position, end: position >= head };
  }

  /** Position of the newest event; 0 when there is none. */
  head(): number {
    return this.#value('SELECT max(position) FROM events', []) ?? 0;
  }

  saveSnapshot(name: string, revision: number, model: string, state: string): void {
    const stream = this.#stream(name);
    if (!stream || stream.erased === 1) return;
    const held: number | undefined = this.#value(
      'SELECT revision FROM snapshots WHERE stream = ? AND name = ? AND state IS NOT NULL',
      [stream.no, model],
    );
    if (held !== undefined && held >= revision) return;
    this.#run('UPDATE snapshots SET state = NULL WHERE stream = ? AND name = ? AND state IS NOT NULL', [
      stream.no,
      model,
    ]);
    this.#run('INSERT INTO snapshots (stream, name, revision, state) VALUES (?, ?, ?, ?)', [
      stream.no,
      model,
      revision,
      state,
    ]);
  }

  loadSnapshot(name: string, model: string): { readonly revision: number; readonly state: string } | null {
    const row = this.#row(
      `SELECT n.revision, n.state FROM snapshots n JOIN streams s ON s.no = n.stream
       WHERE s.name = ? AND n.name = ? AND n.state IS NOT NULL`,
      [name, model],
    );
    return row ? { revision: row[0] as number, state: row[1] as string } : null;
  }

  truncateWal(): Truncated {
    return truncateWal(this.#db, BUSY_TIMEOUT);
  }

  close(): void {
    this.#db.close();
  }

  #stream(name: string): Stream | undefined {
    const row = this.#row('SELECT no, category, revision, erased FROM streams WHERE name = ?', [name]);
    if (!row) return undefined;
    const [no, category, revision, erased] = row as [number, number, number, number];
    return { no, category, revision, erased };
  }

  /** Those of the events that the stream holds already, in the order of `rows`. */
  #standing(stream: Stream, rows: NewRows): Standing[] {
    const standing: Standing[] = [];
    for (let at = 0; at < rows.length; at += NEW_WIDTH) {
      const row = this.#row('SELECT revision, position FROM events WHERE stream = ? AND id = ?', [
        stream.no,
        rows[at] as string,
      ]);
      if (row) standing.push({ revision: row[0] as number, position: row[1] as number });
    }
    return standing;
  }

  #create(name: string): Stream {
    const categoryName = name.split('-', 1)[0] as string;
    let category = this.#category(categoryName);
    if (category === undefined) {
      category = Number(this.#run('INSERT INTO categories (name) VALUES (?)', [categoryName]).lastInsertRowid);
      this.#categories.set(categoryName, category);
    }
    const { lastInsertRowid } = this.#run('INSERT INTO streams (name, category, revision) VALUES (?, ?, -1)', [
      name,
      category,
    ]);
    return { no: Number(lastInsertRowid), category, revision: -1, erased: 0 };
  }

  #insert(stream: Stream, rows: NewRows, erased: boolean): { revision: number; position: number } {
    let { revision } = stream;
    let position = 0;
    for (let at = 0; at < rows.length; at += NEW_WIDTH) {
      const [id, type, organization, envelope, payload] = rows.slice(at, at + NEW_WIDTH) as SQLInputValue[];
      const inserted = this.#run(
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
    this.#run('UPDATE streams SET revision = ?, erased = ? WHERE no = ?', [revision, erased ? 1 : 0, stream.no]);
    return { revision, position };
  }

  #erase(stream: number): void {
    this.#run('UPDATE events SET payload = NULL WHERE stream = ? AND payload IS NOT NULL', [stream]);
    this.#run('UPDATE snapshots SET state = NULL WHERE stream = ? AND state IS NOT NULL', [stream]);
    this.#run('UPDATE streams SET erased = 1 WHERE no = ?', [stream]);
  }

  #category(name: string): number | undefined {
    const known = this.#categories.get(name);
    if (known !== undefined) return known;
    const no = this.#value('SELECT no FROM categories WHERE name = ?', [name]);
    if (no !== undefined) this.#categories.set(name, no);
    return no;
  }

  #rows(sql: string, values: SQLInputValue[]): (string | number | null)[] {
    return (this.#prepared(sql).all(...values) as unknown as (string | number | null)[][]).flat();
  }

  #row(sql: string, values: SQLInputValue[]): (string | number | null)[] | undefined {
    return this.#prepared(sql).get(...values) as unknown as (string | number | null)[] | undefined;
  }

  #value(sql: string, values: SQLInputValue[]): number | undefined {
    return (this.#row(sql, values)?.[0] ?? undefined) as number | undefined;
  }

  #run(sql: string, values: SQLInputValue[]): { lastInsertRowid: number | bigint } {
    return this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

interface Standing {
  readonly revision: number;
  readonly position: number;
}
