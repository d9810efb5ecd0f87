import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { newId } from '#platform/kernel';
import { WalCleaner } from '#platform/sqlite';
import { ThreadGoneError } from '#platform/thread-calls';
import { withoutFileDescriptors } from '../../../../../../test/support/file-descriptors.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { event, numbered, readWholeLog } from '../../testing.ts';
import { commitQueue } from './commit-queue.ts';
import { DataFolderInUseError, lockDataFolder } from './lock.ts';
import { SqliteLog } from './log.ts';
import { Reserve } from './reserve.ts';
import { openEventsDatabase } from './schema.ts';
import { SqliteEventStore } from './sqlite-event-store.ts';
import { envelopeColumns } from './wire.ts';

/** The error of an append on a full disk, as it arrives from the store thread. */
const FULL = { name: 'StorageFullError', kind: 'transient', code: 'no_space' };

let folder: string;
let path: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-events-'));
  path = join(folder, 'events.db');
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

async function open(options: { maxBytes?: number } = {}): Promise<SqliteEventStore> {
  const store = await SqliteEventStore.open({ path, ...options });
  closing.push(() => store.close());
  return store;
}

function startProcess(task: 'append' | 'open'): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const file = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));
  const flags = ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'];
  return spawn(process.execPath, [...flags, file, task, path], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf(child: { stdout: NodeJS.ReadableStream }): Promise<string> {
  let text = '';
  for await (const part of child.stdout) text += String(part);
  return text.trim();
}

/** The content of all files of the store, as latin1 text. */
function bytesOnDisk(): string {
  return [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join('');
}

/** Opens a long read transaction, like a backup tool. */
function readPast(): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true });
  closing.push(() => reader.isOpen && reader.close());
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM events').get();
  return reader;
}

const rowsOf = (type: string) => [...envelopeColumns(event(type).envelope), null];

describe('kill -9', () => {
  it('loses no acknowledged append and releases the folder', async () => {
    for (let round = 0; round < 3; round++) {
      const child = startProcess('append');
      const acknowledged: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged.push(line);
        if (acknowledged.length === 300) child.kill('SIGKILL');
      }
      expect(acknowledged.length).toBeGreaterThanOrEqual(300);

      const store = await SqliteEventStore.open({ path });
      const stored = new Set(
        (await readWholeLog(store)).map((each) => `${each.stream} ${each.revision} ${each.envelope.id}`),
      );
      expect(acknowledged.filter((line) => !stored.has(line))).toEqual([]);
      await store.close();
    }
  });
});

describe('the data folder', () => {
  it('cannot be opened by a second process or store until the first is closed', async () => {
    const store = await SqliteEventStore.open({ path });
    expect(await outputOf(startProcess('open'))).toBe('DataFolderInUseError');
    await expect(SqliteEventStore.open({ path })).rejects.toThrow(DataFolderInUseError);
    await store.close();
    expect(await outputOf(startProcess('open'))).toBe('opened');
  });

  it('can be locked by the caller', async () => {
    const lock = lockDataFolder(folder);
    await expect(SqliteEventStore.open({ path })).rejects.toThrow(DataFolderInUseError);
    const store = await SqliteEventStore.open({ path, folderLock: lock });
    await store.close();
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUseError);
    lock.release();
    lockDataFolder(folder).release();
  });
});

describe('opening', () => {
  it('keeps the log and its id', async () => {
    const first = await SqliteEventStore.open({ path });
    await first.append('document-1', numbered(3), { expected: 'no-stream' });
    await first.close();
    const second = await open();
    expect(second.storeId).toBe(first.storeId);
    expect((await second.readStream('document-1')).revision).toBe(2);
  });

  it('rejects a database of a newer program and releases the folder', async () => {
    openEventsDatabase(path).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 1000');
    db.close();
    await expect(SqliteEventStore.open({ path })).rejects.toMatchObject({ code: 'newer_schema' });
    lockDataFolder(folder).release();
  });

  it('rejects a database of an older form with a sentence, and releases the folder', async () => {
    openEventsDatabase(path).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 1');
    db.close();
    await expect(SqliteEventStore.open({ path })).rejects.toMatchObject({
      code: 'older_schema',
      message: `${path} has schema version 1, and this program reads 2 only: run the version that wrote it, or begin with an empty data folder.`,
    });
    lockDataFolder(folder).release();
  });

  it('rejects a file that is not a database', async () => {
    await expect(SqliteEventStore.open({ path: folder })).rejects.toThrow(/unable to open database file/);
  });
});

describe('closing', () => {
  it('rejects pending calls, clients and subscriptions', async () => {
    const store = await SqliteEventStore.open({ path });
    const client = await SqliteEventStore.attach(await store.newClientPort());
    const { signal } = new AbortController();
    const [first, second] = [store, client].map((each) =>
      each.subscribe({ after: null, signal })[Symbol.asyncIterator](),
    );
    const ends = [first, second].map((each) => expect(each!.next()).rejects.toThrow(ThreadGoneError));
    await client.head();
    await store.close();
    await Promise.all(ends);
    await expect(client.head()).rejects.toThrow(ThreadGoneError);
    await store.close();
  });

  it('commits pending appends', async () => {
    const store = await SqliteEventStore.open({ path });
    const appended = store.append('document-1', numbered(1), { expected: 'any' });
    await store.close();
    expect(await appended).toMatchObject({ ok: true });
    expect((await (await open()).readStream('document-1')).revision).toBe(0);
  });
});

describe('group commit', () => {
  it('commits pending appends in one transaction, in which a conflict affects no other append', async () => {
    const db = openEventsDatabase(path);
    closing.push(() => db.close());
    const log = new SqliteLog(db);
    const transaction = jest.spyOn(log, 'transaction');
    const queue = commitQueue(log, new Reserve(db, path), () => {});
    const results = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        queue.add(() => log.append(`document-${i % 16}`, rowsOf('Numbered'), 'no-stream', false)),
      ),
    );
    expect(transaction).toHaveBeenCalledTimes(1);
    expect(results.filter((result) => 'actual' in result)).toHaveLength(16);
    expect(log.head()).toBe(16);
  });

  it('rejects only the write that throws', async () => {
    const db = openEventsDatabase(path);
    closing.push(() => db.close());
    const log = new SqliteLog(db);
    const queue = commitQueue(log, new Reserve(db, path), () => {});
    const good = queue.add(() => log.append('document-1', rowsOf('Numbered'), 'no-stream', false));
    const bad = queue.add(() => {
      throw new Error('a bug');
    });
    await expect(bad).rejects.toThrow('a bug');
    expect(await good).toMatchObject({ revision: 0 });
    expect(log.readStream('document-1', 0, 10).revision).toBe(0);
  });
});

describe('a full disk', () => {
  it('rejects appends, still reads and still erases', async () => {
    const store = await open({ maxBytes: 400_000 });
    const text = 'lorem ipsum '.repeat(100);
    const append = (name: string) => store.append(name, [event('Long', { text })], { expected: 'any' });
    let stored = 0;
    const full = await (async () => {
      for (; ; stored++) await append(`document-${stored % 10}`);
    })().catch((error) => error);
    expect(full).toMatchObject(FULL);
    expect(stored).toBeGreaterThan(100);
    expect(await readWholeLog(store)).toHaveLength(stored);

    const [refused, deleted] = await Promise.allSettled([
      store.append('document-0', [...numbered(3), event('Long', { text: text.repeat(10) })], { expected: 'any' }),
      store.append('document-1', [event('Deleted')], { expected: 'stream-exists', erase: true }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.objectContaining(FULL) });
    expect(deleted).toMatchObject({ status: 'fulfilled', value: { ok: true, erased: true } });
    await store.erase('document-2');

    const log = await readWholeLog(store);
    expect(log).toHaveLength(stored + 1);
    expect(new Set(log.filter((each) => each.payload === null).map((each) => each.stream))).toEqual(
      new Set(['document-1', 'document-2']),
    );
  });

  it('erases all streams', async () => {
    const store = await open({ maxBytes: 200_000 });
    let stored = 0;
    const fill = async () => {
      for (;;) {
        await store.append(`document-${stored}`, [event('Small', { n: stored })], { expected: 'any' });
        stored++;
      }
    };
    await expect(fill()).rejects.toMatchObject(FULL);
    for (let i = 0; i < stored; i += 7) {
      expect(await store.append(`document-${i}`, [event('Deleted')], { expected: 0, erase: true })).toMatchObject({
        ok: true,
      });
    }
  });
});

describe('a log that is busy', () => {
  it('rejects appends with a transient error while another connection writes', async () => {
    const store = await open();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const append = (name: string) => store.append(name, numbered(1), { expected: 'any' });
    const results = await Promise.allSettled([append('document-1'), append('document-2'), store.erase('document-3')]);
    expect(results).toMatchObject(
      results.map(() => ({ status: 'rejected', reason: { kind: 'transient', code: 'busy' } })),
    );
    other.close();
    expect(await append('document-1')).toMatchObject({ ok: true });
  });

  it('cannot be opened while the process has no file descriptors: a transient error', async () => {
    const lock = async () => lockDataFolder(folder).release();
    const outcome = await withoutFileDescriptors(() => lock().catch((error: unknown) => error));
    if (outcome !== null) expect(outcome).toMatchObject({ kind: 'transient', code: 'too_many_files' });
    await lock();
  });
});

describe('erased content', () => {
  it('is removed from every file within seconds', async () => {
    const store = await open();
    await store.append('document-1', [event('Added', { text: 'xylophonist' })], { expected: 'no-stream' });
    await store.append('document-2', [event('Added', { text: 'bassoonist' })], { expected: 'no-stream' });
    await store.saveSnapshot('document-1', 0, 'model@1', { text: 'xylophonist' });
    expect(bytesOnDisk()).toContain('xylophonist');
    await store.append('document-1', [event('Deleted', { title: 'xylophonist' })], { expected: 0, erase: true });
    await until(() => !bytesOnDisk().includes('xylophonist'));
    expect(bytesOnDisk()).toContain('bassoonist');
  });

  it('is removed from the log when an older reader of the file ends', async () => {
    const store = await open();
    await store.append('document-1', [event('Added', { text: 'xylophonist' })], { expected: 'no-stream' });
    const reader = readPast();
    await store.erase('document-1');
    expect(await store.append('document-2', numbered(1), { expected: 'any' })).toMatchObject({ ok: true });
    reader.close();
    await until(() => !bytesOnDisk().includes('xylophonist'));
  });

  it('is removed by retries that do not block the thread', () => {
    const db = openEventsDatabase(path);
    closing.push(() => db.close());
    const log = new SqliteLog(db);
    const write = () => log.transaction(() => log.append(newId(), rowsOf('Numbered'), 'any', false));
    write();
    const reader = readPast();
    write();
    jest.useFakeTimers();
    closing.push(() => jest.useRealTimers());
    const outcomes: string[] = [];
    const cleaner = new WalCleaner(() => {
      outcomes.push(log.truncateWal());
      if (outcomes.length === 3) reader.close();
      return outcomes.at(-1) === 'done';
    }, 1_000);
    cleaner.request();
    cleaner.request();
    jest.advanceTimersByTime(30_000);
    expect(outcomes).toEqual(['busy', 'busy', 'busy', 'done']);
  });

  it('leaves no copies in free space, for any sizes and order of erasures', async () => {
    const store = await SqliteEventStore.open({ path });
    const streams = Array.from({ length: 60 }, (_, i) => `document-${i}`);
    const gone = streams.filter((_, i) => i % 3 !== 0);
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    const word = (name: string) => `word-of-${name}-`;
    const text = (name: string, longest: number) => word(name).repeat(1 + random(longest / word(name).length));
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        streams.map(async (name) => {
          const longest = round % 7 === 0 ? 15_000 : 800;
          await store.append(name, [event('Added', { text: text(name, longest) })], { expected: 'any' });
          await store.saveSnapshot(name, round, 'model@1', { text: text(name, longest) });
        }),
      );
      // Between the appends, so that later appends reuse the freed space.
      const leaving = round >= 10 ? gone.splice(0, 4) : [];
      for (const name of leaving) await store.erase(name);
    }
    expect(gone).toEqual([]);
    await store.close();

    const bytes = bytesOnDisk();
    const found = streams.filter((name) => bytes.includes(word(name)));
    expect(found).toEqual(streams.filter((_, i) => i % 3 === 0));
  });
});
