import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { parseFilter } from '#features/search';
import type { OrganizationId } from '#platform/kernel';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { RowTable } from '../../rows.ts';
import {
  anyDocument,
  embedded,
  listOf,
  newOrganization,
  nextPosition,
  removal,
  row,
  rowsAt,
  rowsOf,
  SHELVES,
  SPACE,
  searchFor,
  unitSet,
  units,
  upsert,
} from '../../testing.ts';
import { filterToSql } from './filters.ts';
import { firstNumber, PLACES, partitionOf } from './numbers.ts';
import { SqliteViewsReader } from './reader.ts';
import { SqliteViewsWriter } from './writer.ts';

let folder: string;
let path: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  path = join(folder, 'views.db');
});
afterEach(async () => {
  jest.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

function write(tables: readonly RowTable[] = []): SqliteViewsWriter {
  const writer = SqliteViewsWriter.open({ path, tables });
  closing.push(() => writer.close());
  return writer;
}

function read(cacheBytes = 2 ** 26): SqliteViewsReader {
  const reader = SqliteViewsReader.open({ path, cacheBytes });
  closing.push(() => reader.close());
  return reader;
}

function open(): DatabaseSync {
  const db = new DatabaseSync(path);
  closing.push(() => db.isOpen && db.close());
  return db;
}

/** Everything that stands in the files of the views, as one-byte text. */
function bytesOnDisk(where = folder): string {
  const files = readdirSync(where, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => readFileSync(join(where, name), 'latin1')).join('');
}
const logSize = () => statSync(`${path}-wal`).size;

describe('the file', () => {
  it('is created, found again, and replaced when it has another shape or is damaged', async () => {
    const first = write();
    expect(first.opened).toBe('created');
    await first.apply([upsert(row(newOrganization()))], nextPosition());
    const checkpoint = await first.checkpoint();
    await first.close();

    const again = write();
    expect(again.opened).toBe('found');
    expect(await again.checkpoint()).toBe(checkpoint);
    await again.close();

    const foreign = open();
    foreign.exec('PRAGMA user_version = 99');
    foreign.close();
    expect(() => read()).toThrow('another shape');
    const replaced = write();
    expect(replaced.opened).toBe('dropped');
    expect(await replaced.checkpoint()).toBeNull();
    await replaced.close();

    writeFileSync(path, 'no database at all, but long enough to be taken for one '.repeat(100));
    const repaired = write();
    expect(repaired.opened).toBe('dropped');
    await repaired.apply([upsert(row(newOrganization()))], nextPosition());
  });

  it('keeps the vector space that it was created for, until it is replaced', async () => {
    const madeFor = async (space: string) => {
      const writer = SqliteViewsWriter.open({ path, space });
      const found = [await writer.vectorSpace(), await read().vectorSpace()];
      await writer.close();
      return found;
    };
    expect(await madeFor('a.1.2')).toEqual(['a.1.2', 'a.1.2']);
    expect(await madeFor('b.1.2')).toEqual(['a.1.2', 'a.1.2']);
    writeFileSync(path, 'no database at all, but long enough to be taken for one '.repeat(100));
    expect(await madeFor('b.1.2')).toEqual(['b.1.2', 'b.1.2']);
  });

  it('is not made by a reader', () => {
    expect(() => read()).toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps nothing of a batch that fails', async () => {
    const writer = write();
    const organization = newOrganization();
    const kept = row(organization, { tags: ['kept'] });
    await writer.apply([upsert(kept, unitSet('walrus'))], nextPosition());
    const checkpoint = await writer.checkpoint();
    const gap = { units: units('memory', ['a', 'b']).slice(1), header: '', vectors: null };
    const wrong = [
      [upsert(row(organization), gap), RangeError],
      [upsert(row(organization, { tags: [] })), RangeError],
      [upsert(row(organization), { ...unitSet('a'), vectors: [] }), RangeError],
    ] as const;
    for (const [change, error] of wrong) {
      const batch = [removal(kept), upsert(row(organization, { tags: ['new'] }), unitSet('ostrich')), change];
      await expect(writer.apply(batch, nextPosition())).rejects.toThrow(error);
      expect(await writer.checkpoint()).toBe(checkpoint);
    }
    const reader = read();
    expect((await reader.list(listOf(anyDocument(organization)))).rows).toEqual([kept]);
    const added = row(organization, { tags: ['new'] });
    await writer.apply([upsert(added, unitSet('ostrich'))], nextPosition());
    expect(
      (await reader.search(searchFor('ostrich', anyDocument(organization)))).map(({ document }) => document),
    ).toEqual([added]);
  });

  it('agrees with its checkpoint when the writer is killed', async () => {
    const file = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning', file, path],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [organization] = (await once(createInterface({ input: child.stdout }), 'line')) as [OrganizationId];
    const watching = read();
    await until(
      () => watching.checkpoint(),
      (position) => Number(position ?? 0) >= 100,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');

    const writer = write();
    expect(writer.opened).toBe('found');
    const reader = read();
    const written = Number(await reader.checkpoint());
    expect((await reader.list(listOf(anyDocument(organization)))).total).toBe(written);
    expect(await reader.search(searchFor('walrus', anyDocument(organization), { limit: written + 1 }))).toHaveLength(
      written,
    );
  });
});

describe('erasure', () => {
  /** Words of 14 letters that occur nowhere else, also not by chance. */
  const secret = (i: number) => `sesame${String(i).padStart(4, '0')}open`;

  it('leaves no deleted or replaced word in any file', async () => {
    const writer = write();
    const reader = read();
    const organization = newOrganization();
    const rows = Array.from({ length: 400 }, (_, i) =>
      row(organization, {
        tags: [`tag-${i % 7}`],
        title: secret(i),
        summary: `${secret(i)} `.repeat(1 + (i % 40) * 5),
        customId: `custom ${secret(i)}`,
        filepath: `/${secret(i)}`,
        metadata: { note: secret(i), list: JSON.stringify([secret(i), 'x']) },
        frontMatter: { tags: [secret(i)] },
      }),
    );
    const texts = (i: number) => Array.from({ length: 1 + (i % 5) }, () => `${secret(i)} ${'filler '.repeat(i % 60)}`);
    // In an order that splits pages, and over several batches, so that pages are moved about before anything is deleted.
    const mixed = rows.map((each, i) => ({ each, i })).sort((a, b) => ((a.i * 37) % 400) - ((b.i * 37) % 400));
    for (let at = 0; at < mixed.length; at += 50) {
      const batch = mixed.slice(at, at + 50).map(({ each, i }) => upsert(each, unitSet(...texts(i))));
      await writer.apply(batch, nextPosition());
    }
    await reader.search(searchFor('filler', anyDocument(organization)));
    expect(bytesOnDisk()).toContain(secret(7));

    const deleted = (i: number) => i % 3 === 0;
    const replaced = (i: number) => i % 3 === 1;
    for (const { each, i } of mixed) {
      if (deleted(i)) await writer.apply([removal(each)], nextPosition());
      if (replaced(i)) {
        const plain = {
          title: null,
          summary: null,
          customId: null,
          filepath: null,
          metadata: null,
          tags: ['tag-1', 'x'],
        };
        const { frontMatter: _, ...noted } = each;
        await writer.apply([upsert({ ...noted, ...plain }, unitSet('nothing'))], nextPosition());
      }
    }
    expect(writer.purge()).toBe(true);
    const left = () => {
      const bytes = bytesOnDisk();
      return rows.map((_, i) => i).filter((i) => bytes.includes(secret(i)));
    };
    const live = rows.map((_, i) => i).filter((i) => !deleted(i) && !replaced(i));
    expect(left()).toEqual(live);

    // Pages that are still in the writer's memory must not bring back what was on them.
    const more = Array.from({ length: 200 }, (_, i) =>
      row(organization, { tags: [`tag-${i % 7}`], filepath: `/${i}` }),
    );
    await writer.apply(
      more.map((each) => upsert(each, unitSet('something'))),
      nextPosition(),
    );
    expect(left()).toEqual(live);
  });

  it('takes up the log of a writer that died', async () => {
    const writer = write();
    const document = row(newOrganization());
    await writer.apply([upsert(document, unitSet(secret(1)))], nextPosition());
    await writer.apply([removal(document)], nextPosition());
    expect(bytesOnDisk()).toContain(secret(1));
    const left = join(folder, 'left');
    mkdirSync(left);
    for (const end of ['', '-wal']) copyFileSync(path + end, join(left, `views.db${end}`));

    const next = SqliteViewsWriter.open({ path: join(left, 'views.db') });
    closing.push(() => next.close());
    expect(next.opened).toBe('found');
    expect(bytesOnDisk(left)).not.toContain(secret(1));
  });

  it('empties the log by itself, and tries again while someone reads', async () => {
    jest.useFakeTimers();
    const writer = write();
    const document = row(newOrganization());
    await writer.apply([upsert(document, unitSet('walrus'))], nextPosition());
    jest.advanceTimersByTime(20_000);
    expect(logSize()).toBeGreaterThan(0);

    const backup = open();
    backup.exec('BEGIN');
    backup.prepare('SELECT count(*) FROM documents').get();
    await writer.apply([removal(document)], nextPosition());
    jest.advanceTimersByTime(15_000);
    expect(logSize()).toBeGreaterThan(0);
    backup.exec('COMMIT');
    jest.advanceTimersByTime(1_000);
    expect(logSize()).toBe(0);
  });
});

describe('partitions', () => {
  it('are gone with their last document', async () => {
    const writer = write();
    const organization = newOrganization();
    const [a, b] = [row(organization, { tags: ['x', 'y'] }), row(organization, { tags: ['y', 'x'] })];
    await writer.apply([upsert(a), upsert(b), upsert(row(organization, { tags: ['z'] }))], nextPosition());
    const db = open();
    const count = () => [
      db.prepare('SELECT count(*) AS n FROM partitions').get()?.n,
      db.prepare('SELECT count(*) AS n FROM partition_tags').get()?.n,
    ];
    expect(count()).toEqual([2, 3]);
    await writer.apply([removal(a)], nextPosition());
    expect(count()).toEqual([2, 3]);
    await writer.apply([upsert({ ...b, tags: ['z'] })], nextPosition());
    expect(count()).toEqual([1, 1]);
    const passing = row(organization, { tags: ['short-lived'] });
    await writer.apply([upsert(passing), removal(passing)], nextPosition());
    expect(count()).toEqual([1, 1]);
  });

  it('go on in another one when all their numbers were given out', async () => {
    const organization = newOrganization();
    const [first, second, third] = [row(organization), row(organization), row(organization)];
    const before = write();
    await before.apply([upsert(first, unitSet('walrus'))], nextPosition());
    await before.close();
    const db = open();
    const { no } = db.prepare('SELECT no FROM documents').get() as { no: number };
    const last = firstNumber(partitionOf(no)) + PLACES - 1;
    for (const table of ['documents', 'chunk_entries', 'memory_entries']) {
      db.exec(`UPDATE ${table} SET no = ${last} WHERE no = ${no}`);
    }
    db.exec(`UPDATE units SET document = ${last}`);
    db.close();

    const writer = write();
    await writer.apply(
      [upsert(second, unitSet('walrus')), upsert(third, unitSet('walrus')), upsert(first)],
      nextPosition(),
    );
    const reader = read();
    const query = anyDocument(organization, ['tag']);
    expect((await reader.list(listOf(query))).total).toBe(3);
    expect(await reader.search(searchFor('walrus', query))).toHaveLength(3);
    expect((await reader.documents(query.scope, [first.id]))[0]).toEqual(first);
  });

  it('do not influence each other: 10,000 documents under another tag change no rank and no score', async () => {
    const writer = write();
    const reader = read();
    const organization = newOrganization();
    const texts = ['the walrus sleeps', 'a penguin walks', 'walrus and penguin', 'penguin penguin', 'ice and snow'];
    await writer.apply(
      texts.map((text) => upsert(row(organization, { tags: ['mine', 'x'] }), unitSet(text))),
      nextPosition(),
    );
    const query = searchFor('walrus penguin', anyDocument(organization, ['mine']));
    const before = await reader.search(query);
    expect(before.length).toBeGreaterThan(3);
    const others = Array.from({ length: 10_000 }, () =>
      upsert(row(organization, { tags: ['yours'] }), unitSet('walrus')),
    );
    await writer.apply(others, nextPosition());
    expect(await reader.search(query)).toEqual(before);
    expect(await read(0).search(query)).toEqual(before);
  });
});

describe('filterToSql', () => {
  it('binds every key and value', () => {
    const filter = parseFilter({
      AND: [
        { key: 'SECRET', value: 'SECRET' },
        { OR: [{ key: 'SECRET', value: 'SECRET%', filterType: 'string_contains', negate: true }] },
        { key: 'SECRET', value: 'SECRET', filterType: 'array_contains', ignoreCase: true },
        { key: 'SECRET', value: '5', numericOperator: '<' },
      ],
    });
    if (!filter.ok) throw new Error(filter.error.message);
    const { sql, params } = filterToSql(filter.value, 'documents.no');
    expect(sql.toUpperCase()).not.toMatch(/SECRET|LIKE|GLOB/);
    expect(params).toHaveLength(sql.split('?').length - 1);
  });

  it('compiles the largest and the deepest filter there may be', async () => {
    const writer = write();
    const organization = newOrganization();
    const document = row(organization, { metadata: { k: 'v' } });
    await writer.apply([upsert(document, unitSet('walrus'))], nextPosition());
    const wide = { OR: Array.from({ length: 200 }, (_, i) => ({ key: i === 199 ? 'k' : `k${i}`, value: 'v' })) };
    let deep: unknown = { AND: [{ key: 'k', value: 'v' }] };
    for (let level = 2; level <= 8; level++) deep = { OR: [deep] };
    const negated = { AND: Array.from({ length: 200 }, (_, i) => ({ key: `k${i}`, value: 'v', negate: true })) };
    for (const input of [wide, deep, negated]) {
      const filter = parseFilter(input);
      if (!filter.ok) throw new Error(filter.error.message);
      const query = { ...anyDocument(organization, ['tag']), filter: filter.value };
      expect((await read().list(listOf(query))).rows).toEqual([document]);
      expect(await read().search(searchFor('walrus', query))).toHaveLength(1);
    }
  });
});

describe('read models in the file', () => {
  it('are all built in a file without their records, as a process that is killed leaves a new one', async () => {
    const organization = newOrganization();
    const document = row(organization);
    const before = write();
    await before.apply([upsert(document, unitSet('walrus'))], nextPosition());
    await before.close();
    const db = open();
    db.exec('DROP TABLE read_models; DROP TABLE row_floors');
    db.close();
    expect(() => read()).toThrow('must be opened for writing first');

    const after = write([SHELVES]);
    expect(after.opened).toBe('found');
    expect(after.building().map(({ name }) => name)).toEqual(['documents', 'shelves']);
    const reader = read();
    expect(await reader.checkpoint()).toBeNull();
    expect((await reader.list(listOf(anyDocument(organization)))).total).toBe(0);
  });

  it('may have columns with the names of SQL keywords, but not those of every row', async () => {
    const organization = newOrganization();
    const table = { ...SHELVES, columns: { order: 'number', group: 'text' }, indexes: [['order', 'group']] } as const;
    const writer = write([table]);
    const change = rowsAt(organization, 'book-1', 0, [{ order: 1, group: 'a' }]);
    await writer.apply([change], nextPosition());
    const query = rowsOf(organization, { sort: 'order', equals: { group: 'a' } });
    expect((await read().rows(query)).rows).toEqual(change.rows);
    await writer.close();
    for (const wrong of [{ name: 'documents' }, { columns: { tags: 'text' } }, { name: 'a b' }, { indexes: [['x']] }]) {
      expect(() => write([{ ...table, ...wrong } as RowTable])).toThrow(RangeError);
    }
  });

  it('keep serving while the documents are built again, which no older change overtakes', async () => {
    const organization = newOrganization();
    const [kept, deleted] = [row(organization, { revision: 3 }), row(organization, { revision: 3 })];
    const first = write([SHELVES]);
    const shelf = rowsAt(organization, 'book-1', 0, [{ title: 'a', pages: 1 }]);
    await first.apply([upsert(kept), upsert(deleted), shelf], nextPosition());
    const until = await first.checkpoint();
    await first.close();
    const db = open();
    db.exec("UPDATE read_models SET version = 0 WHERE name = 'documents'");
    db.close();

    const writer = write([SHELVES]);
    expect(writer.building()).toEqual([{ name: 'documents', after: null, until }]);
    const reader = read();
    expect(await reader.checkpoint()).toBeNull();
    expect((await reader.rows(rowsOf(organization))).rows).toEqual(shelf.rows);
    expect((await reader.list(listOf(anyDocument(organization)))).total).toBe(0);

    const newer = { ...kept, revision: 9, title: 'newer' };
    const live = nextPosition();
    await writer.apply([upsert(newer), removal({ ...deleted, revision: 9 })], live);
    const after = nextPosition();
    await writer.build('documents', [upsert(kept, unitSet('walrus')), upsert(deleted)], after);
    expect(await reader.checkpoint()).toBe(after);
    expect((await reader.list(listOf(anyDocument(organization)))).rows).toEqual([newer]);
    await writer.build('documents', [], null);
    expect(writer.building()).toEqual([]);
    expect(await reader.checkpoint()).toBe(live);
    expect(open().prepare('SELECT count(*) AS floors FROM row_floors').get()).toEqual({ floors: 0 });
  });
});

describe('units that are replaced', () => {
  /** Ids of the unit rows that are written or removed, and kinds whose entries are. */
  function watch(): () => unknown[] {
    const db = open();
    db.exec(`
      CREATE TABLE touched (what TEXT);
      CREATE TRIGGER unit_written AFTER INSERT ON units BEGIN INSERT INTO touched VALUES (NEW.text); END;
      CREATE TRIGGER unit_removed AFTER DELETE ON units BEGIN INSERT INTO touched VALUES (OLD.text); END;
      CREATE TRIGGER chunk_entry AFTER UPDATE ON chunk_entries BEGIN INSERT INTO touched VALUES ('chunk entry'); END;
      CREATE TRIGGER memory_entry AFTER UPDATE ON memory_entries BEGIN INSERT INTO touched VALUES ('memory entry'); END;
    `);
    return () => {
      const touched = db.prepare('SELECT what FROM touched').all() as unknown as { what: string }[];
      db.exec('DELETE FROM touched');
      return touched.map(({ what }) => what).sort();
    };
  }

  it('are written where they differ alone', async () => {
    const writer = write();
    const reader = read();
    const organization = newOrganization();
    const document = row(organization, { vectorSpaces: [SPACE] });
    const set = embedded(['a walrus', 'a penguin'], [1, 2]);
    const byWords = { ...set, vectors: null };
    await writer.apply([upsert({ ...document, vectorSpaces: [] }, byWords)], nextPosition());
    const touched = watch();

    await writer.apply([upsert({ ...document, vectorSpaces: [] }, byWords)], nextPosition());
    expect(touched()).toEqual([]);

    await writer.apply([upsert(document, set)], nextPosition());
    expect(touched()).toEqual(['chunk entry', 'memory entry']);

    const grown = units('memory', ['an ostrich']).map((unit) => ({ ...unit, ordinal: 2 }));
    await writer.apply([upsert(document, { ...byWords, units: [...set.units, ...grown] })], nextPosition());
    expect(touched()).toEqual(['an ostrich', 'chunk entry', 'memory entry']);

    const [first] = set.units.filter(({ kind }) => kind === 'memory');
    const renamed = set.units.map((unit) => (unit === first ? { ...unit, text: 'a seal' } : unit));
    await writer.apply([upsert(document, { ...byWords, units: renamed })], nextPosition());
    expect(touched()).toEqual(['a seal', 'an ostrich', 'memory entry']);
    const found = await reader.search(searchFor('seal', anyDocument(organization)));
    expect(found[0]?.unit.text).toBe('a seal');
  });
});
