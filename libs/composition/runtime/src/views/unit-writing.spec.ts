import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChunkRef, DocumentTexts, type Live, type MemoryRef, unitsOf } from '#features/documents';
import { DiskBlobStore } from '#ports/blobs';
import { type DocumentRow, SqliteViewsReader, SqliteViewsWriter, type ViewsReader } from '#read-side/views';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import {
  anyDocument,
  newOrganization,
  nextPosition,
  row,
  searchFor,
  unitSet,
  upsert,
} from '../../../../read-side/views/src/testing.ts';
import { TABLES } from './target.ts';
import { UnitWriting } from './unit-writing.ts';

const LINES = Array.from({ length: 12_000 }, (_, i) => `Goat number ${i} broke the fence near the weir.`);
const TEXT = LINES.join('\n');
const ORGANIZATION = newOrganization();

let folder: string;
let blobs: DiskBlobStore;
let texts: DocumentTexts;
let writer: SqliteViewsWriter;
let reader: ViewsReader;
let writing: UnitWriting;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-unit-writing-'));
  const views = join(folder, 'views.db');
  const blobFolder = join(folder, 'blobs');
  blobs = await DiskBlobStore.open(blobFolder);
  texts = new DocumentTexts(blobs);
  writer = SqliteViewsWriter.open({ path: views, tables: TABLES });
  reader = SqliteViewsReader.open({ path: views, cacheBytes: 64 << 20 });
  const { signal } = new AbortController();
  writing = new UnitWriting({ writer, views, blobs, blobFolder, texts, scratch: join(folder, 'scratch'), signal });
});
afterAll(async () => {
  await writing.close();
  await reader.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

/** A document of the text whose lines are chunks and memories. */
async function documentOf(text: string): Promise<{ readonly row: DocumentRow; readonly document: Live }> {
  const its = row(ORGANIZATION);
  let at = 0;
  const passages = text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    return [start, start + line.length] as const;
  });
  const chunks = passages.map(([start, end], i): ChunkRef => [`${its.id}-c${i}`, start, end]);
  const memories = passages.map(([start, end], i): MemoryRef => [`${its.id}-m${i}`, start, end, null]);
  const document = {
    ...{ status: 'live', organization: ORGANIZATION, id: its.id, extracted: 'content', unitsDate: null },
    content: { parts: [await texts.store(ORGANIZATION, its.id, text)] },
    chunks: await texts.storeList(ORGANIZATION, its.id, chunks),
    memories: await texts.storeList(ORGANIZATION, its.id, memories),
  };
  return { row: its, document: document as unknown as Live };
}

const find = async (question: string) =>
  (await reader.search(searchFor(question, anyDocument(ORGANIZATION), { limit: 5 }))).map(
    ({ unit, document, score }) => ({
      unit,
      id: document.id,
      score,
    }),
  );

test('the units of a very long text are written as they are in place, and later changes follow', async () => {
  const long = await documentOf(TEXT);
  expect(writing.defers(long.document)).toBe(true);
  await writing.write(long);
  const elsewhere = await find('goat 11999');
  expect(elsewhere[0]).toMatchObject({ id: long.row.id, unit: { ordinal: 11_999, text: LINES[11_999] } });

  const other = row(ORGANIZATION);
  await writer.apply([upsert(long.row), upsert(other, unitSet('The lock keeper sleeps.'))], nextPosition());
  expect((await find('lock keeper'))[0]?.id).toBe(other.id);
  expect(await find('goat 11999')).toMatchObject([{ unit: { text: LINES[11_999] } }, {}, {}, {}, {}]);

  const units = { units: await unitsOf(long.document, texts), header: '', vectors: null };
  await writer.apply([upsert(long.row, units)], nextPosition());
  expect((await find('goat 11999'))[0]?.unit).toEqual(elsewhere[0]?.unit);
});

test('a document whose text is lost is deferred no more', async () => {
  const lost = await documentOf(TEXT);
  await blobs.deletePrefix(`${ORGANIZATION}/${lost.row.id}/`);
  await expect(writing.write(lost)).rejects.toMatchObject({ code: 'blob_missing' });
  expect(writing.defers(lost.document)).toBe(false);
});

test('a shorter text is not deferred', async () => {
  expect(writing.defers((await documentOf('Goats.')).document)).toBe(false);
});

describe('units that are written late', () => {
  const signal = new AbortController().signal;

  test('appear at once, and other changes are written in between', async () => {
    const long = await documentOf(TEXT.replaceAll('goat', 'sheep').replaceAll('Goat', 'Sheep'));
    const queued = { ...long.row, stage: 'indexing' as const };
    await writer.apply([upsert(queued)], nextPosition());
    expect(writing.takesLate({ ...long, row: queued })).toBe(true);
    let isWritten = false;
    const late = writing.writeLate(long, signal).finally(() => {
      isWritten = true;
    });
    let others = 0;
    // They may be found a moment before the writing is known to have ended.
    for (let isFound = false; !isWritten && !isFound; others += 1) {
      await writer.apply([upsert(row(ORGANIZATION), unitSet(`Heron ${others}.`))], nextPosition());
      isFound = (await find('sheep 1'))[0]?.id === long.row.id;
      if (isFound) expect((await find('sheep 11999'))[0]?.id).toBe(long.row.id);
      await new Promise(setImmediate);
    }
    await late;
    expect(others).toBeGreaterThan(10);
    expect((await find('sheep 11999'))[0]).toMatchObject({ id: long.row.id, unit: { ordinal: 11_999 } });
    // The same as a batch writes.
    const [before] = await find('sheep 11998');
    const units = { units: await unitsOf(long.document, texts), header: '', vectors: null };
    await writer.apply([upsert(long.row, units)], nextPosition());
    expect((await find('sheep 11998'))[0]).toEqual(before);
    expect(writing.takesLate({ ...long, row: queued })).toBe(false);
  });

  test('are removed with their document, however much of them was written', async () => {
    const long = await documentOf(TEXT);
    await writer.apply([upsert({ ...long.row, tags: ['half'] })], nextPosition());
    const ending = new AbortController();
    const late = writing.writeLate(long, ending.signal);
    const scope = { organization: ORGANIZATION, tags: ['half'] };
    const memories = async () => (await reader.totals(scope)).memories;
    await until(memories);
    ending.abort(new Error('deleted'));
    await expect(late).rejects.toThrow('deleted');
    const { organization, id } = long.row;
    await writer.apply([{ kind: 'delete', organization, id, revision: 9 }], nextPosition());
    expect(await reader.totals(scope)).toEqual({ documents: 0, memories: 0 });
    expect((await find('goat 11999')).filter((hit) => hit.id === id)).toEqual([]);
  });

  test('follow a document whose tags change while they are written', async () => {
    const long = await documentOf(TEXT.replaceAll('Goat', 'Otter'));
    await writer.apply([upsert({ ...long.row, tags: ['before'] })], nextPosition());
    const late = writing.writeLate(long, signal);
    const scope = { organization: ORGANIZATION, tags: ['before'] };
    await until(async () => (await reader.totals(scope)).memories);
    await writer.apply([upsert({ ...long.row, tags: ['after'] })], nextPosition());
    await late;
    expect((await find('otter 11999'))[0]).toMatchObject({
      id: long.row.id,
      unit: { text: 'Otter number 11999 broke the fence near the weir.' },
    });
    expect(await reader.totals(scope)).toEqual({ documents: 0, memories: 0 });
    expect(await reader.totals({ organization: ORGANIZATION, tags: ['after'] })).toEqual({
      documents: 1,
      memories: 12_000,
    });
  });

  test('are complete when their writing begins anew', async () => {
    const long = await documentOf(TEXT);
    await writer.apply([upsert({ ...long.row, tags: ['again'] })], nextPosition());
    writer.addUnits(long.row, (await unitsOf(long.document, texts)).slice(0, 15_000));
    await writing.writeLate(long, signal);
    const scope = { organization: ORGANIZATION, tags: ['again'] };
    expect(await reader.totals(scope)).toEqual({ documents: 1, memories: 12_000 });
  });
});
