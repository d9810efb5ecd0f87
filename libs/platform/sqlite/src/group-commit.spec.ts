import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GroupCommit } from './group-commit.ts';
import { inTransaction } from './transaction.ts';

let folder: string;
let db: DatabaseSync;
let transactions: number;
let commits: GroupCommit;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-group-commit-'));
  db = new DatabaseSync(join(folder, 'test.db'), { timeout: 0 });
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER)');
  transactions = 0;
  commits = new GroupCommit({
    transaction: (work) => {
      transactions++;
      return inTransaction(db, work);
    },
    reserve: { use: (work) => work() },
    truncate: () => {},
  });
});
afterEach(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

const insert = (n: number) => commits.add(() => void db.prepare('INSERT INTO numbers VALUES (?)').run(n));
const stored = () => db.prepare('SELECT n FROM numbers ORDER BY n').all();

it('commits all waiting writes in one transaction', async () => {
  await Promise.all([insert(1), insert(2), insert(3)]);
  expect(transactions).toBe(1);
  expect(stored()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

it('flush() commits the waiting writes before it returns', async () => {
  const writes = [insert(1), insert(2)];
  commits.flush();
  expect(stored()).toEqual([{ n: 1 }, { n: 2 }]);
  await Promise.all(writes);
});

it('rejects only the write that fails', async () => {
  const fails = commits.add(() => {
    throw new Error('a bug');
  });
  const [first, second, third] = await Promise.allSettled([insert(1), fails, insert(3)]);
  expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(stored()).toEqual([{ n: 1 }, { n: 3 }]);
});

it('rejects all writes of a transaction that fails with a transient error, after one attempt', async () => {
  const other = new DatabaseSync(join(folder, 'test.db'));
  other.exec('BEGIN IMMEDIATE');
  const results = await Promise.allSettled([insert(1), insert(2)]);
  other.close();
  expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'busy' }) }));
  expect(transactions).toBe(1);
});
