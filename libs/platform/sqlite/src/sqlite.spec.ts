import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withoutFileDescriptors } from '../../../../test/support/file-descriptors.ts';
import { SmallDisk } from '../../../../test/support/small-disk.ts';
import { translateSqliteError, translatingCalls, translatingDamage, translatingSqlite } from './errors.ts';
import { truncateWal } from './wal.ts';

let folder: string;
const opened: DatabaseSync[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-'));
});
afterEach(async () => {
  for (const db of opened.splice(0)) if (db.isOpen) db.close();
  await rm(folder, { recursive: true });
});

function open(): DatabaseSync {
  const db = new DatabaseSync(join(folder, 'test.db'), { timeout: 0 });
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (value BLOB)');
  opened.push(db);
  return db;
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const sqliteError = (errcode: number) => Object.assign(new Error('of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
const inSqlite = (work: () => unknown) => thrownBy(() => translatingSqlite(work));

describe('an error of node:sqlite', () => {
  it.each([
    [5, 'busy'],
    [6, 'busy'],
    [261, 'busy'],
    [10, 'io_error'],
    [778, 'io_error'],
    [13, 'no_space'],
    [15, 'busy'],
  ])('%i is transient: %s', (errcode, code) => {
    const cause = sqliteError(errcode);
    expect(translateSqliteError(cause)).toMatchObject({ kind: 'transient', code, message: 'of SQLite', cause });
  });

  it.each([11, 19, 26])('%i stays as it is', (errcode) => {
    const error = sqliteError(errcode);
    expect(translateSqliteError(error)).toBe(error);
  });

  it('of a file that cannot be opened is transient only if no other file can be opened either', () => {
    const error = sqliteError(14);
    const noMore = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    };
    expect(translateSqliteError(error, noMore)).toMatchObject({ kind: 'transient', code: 'too_many_files' });
    expect(translateSqliteError(error, () => {})).toBe(error);
  });
});

describe('a database', () => {
  it('that another connection writes is busy', () => {
    const [one, other] = [open(), open()];
    one.exec('BEGIN IMMEDIATE');
    expect(inSqlite(() => other.exec('BEGIN IMMEDIATE'))).toMatchObject({ kind: 'transient', code: 'busy' });
  });

  it('that may not grow has no space', () => {
    const db = open();
    db.exec('PRAGMA max_page_count = 4');
    const insert = () => db.prepare('INSERT INTO t VALUES (zeroblob(1000000))').run();
    expect(inSqlite(insert)).toMatchObject({ kind: 'transient', code: 'no_space' });
  });

  it('that cannot be opened without file descriptors yields too_many_files, and an absent one does not', async () => {
    const path = join(folder, 'test.db');
    open().close();
    const read = (file: string) => inSqlite(() => new DatabaseSync(file, { readOnly: true }).close());
    expect(read(join(folder, 'absent.db'))).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
    const error = await withoutFileDescriptors(async () => read(path));
    if (error !== null) expect(error).toMatchObject({ kind: 'transient', code: 'too_many_files' });
    expect(read(path)).toBeUndefined();
  });
});

it('translatingDamage() names a database that cannot be created because the disk has no room for another file', async () => {
  const disk = await SmallDisk.mount(4, 2);
  if (disk === null) return;
  try {
    const path = join(disk.folder, 'test.db');
    const translate = translatingDamage(path, '');
    expect(translate(thrownBy(() => new DatabaseSync(join(folder, 'absent', 'test.db'))))).toMatchObject({
      errcode: 14,
    });
    await writeFile(join(disk.folder, 'last'), '');
    const error = thrownBy(() => new DatabaseSync(path));
    expect(translate(error)).toMatchObject({ kind: 'transient', code: 'no_space' });
  } finally {
    await disk.unmount();
  }
});

it('translatingCalls() translates errors and passes results on', async () => {
  const calls = translatingCalls({
    throws: () => {
      throw sqliteError(5);
    },
    rejects: () => Promise.reject(sqliteError(13)),
    answers: (n: number) => n + 1,
  });
  expect(thrownBy(calls.throws)).toMatchObject({ code: 'busy' });
  await expect(calls.rejects()).rejects.toMatchObject({ code: 'no_space' });
  expect(calls.answers(1)).toBe(2);
});

it('truncateWal() succeeds when no reader uses the log', () => {
  const [writer, reader] = [open(), open()];
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM t').all();
  writer.prepare('INSERT INTO t VALUES (zeroblob(10))').run();
  expect(truncateWal(writer, 5_000)).toBe('busy');
  reader.exec('COMMIT');
  expect(truncateWal(writer, 5_000)).toBe('done');
});
