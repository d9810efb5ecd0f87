import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DocumentRow } from '../../documents.ts';
import { newOrganization, nextPosition, row, SPACE, unitSet, upsert } from '../../testing.ts';
import { SqliteViewsWriter } from './writer.ts';

/** What the file holds of documents with units that are left out. */

let folder: string;
let writer: SqliteViewsWriter;
let db: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-cuts-'));
  const path = join(folder, 'views.db');
  writer = SqliteViewsWriter.open({ path, space: SPACE });
  db = new DatabaseSync(path, { readOnly: true });
});
afterEach(async () => {
  db.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

const leftOut = () => db.prepare('SELECT kind, ordinal, since FROM left_units ORDER BY kind, ordinal').all();
/** Grows whenever an index entry is written. */
const entriesWritten = () => db.prepare('SELECT max(change) AS change FROM entry_log').get();

test('leaving out a unit of a long document does not write its index entry again', async () => {
  const document = row(newOrganization());
  const texts = Array.from({ length: 1_000 }, (_, i) => `heron ${i}`);
  await writer.apply([upsert(document, unitSet(...texts))], nextPosition());
  const before = entriesWritten();
  const cut = (cuts: DocumentRow['cuts']) =>
    writer.apply([upsert({ ...document, cuts } as DocumentRow)], nextPosition());
  await cut({
    leftOut: [
      ['memory', 7, 0],
      ['memory', 9, 500],
    ],
    pieces: [],
  });
  expect(entriesWritten()).toEqual(before);
  expect(leftOut()).toMatchObject([
    { ordinal: 7, since: 0 },
    { ordinal: 9, since: 500 },
  ]);
  await cut({ leftOut: [['memory', 9, 0]], pieces: [] });
  expect(leftOut()).toMatchObject([{ ordinal: 9, since: 0 }]);
  await writer.apply(
    [upsert({ ...document, tags: ['other'], cuts: { leftOut: [['memory', 9, 0]], pieces: [] } })],
    nextPosition(),
  );
  expect(leftOut()).toHaveLength(1);
  await writer.apply([upsert({ ...document, tags: ['other'] })], nextPosition());
  expect(leftOut()).toEqual([]);
});
