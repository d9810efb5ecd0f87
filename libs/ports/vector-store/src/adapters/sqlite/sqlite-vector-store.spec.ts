import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import { contentHash } from '#platform/kernel';
import { withoutFileDescriptors } from '../../../../../../test/support/file-descriptors.ts';
import { SmallDisk } from '../../../../../../test/support/small-disk.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { vectorStoreContract } from '../../vector-store.contract.ts';
import { SqliteVectorStore } from './sqlite-vector-store.ts';
import { openVectorReader } from './vector-reader.ts';

describe('SqliteVectorStore', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-vectors-'));
    path = join(folder, 'vectors.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  vectorStoreContract(() => SqliteVectorStore.open(path));

  it('open() rejects with the reason if the file is not a database', async () => {
    const other = join(folder, 'other.db');
    await writeFile(other, 'This is not a database, and is longer than the header of one. '.repeat(20));
    await expect(SqliteVectorStore.open(other)).rejects.toThrow(/not a database/);
  });

  it('rejects with a transient error on a disk that is full, and works again when there is room', async () => {
    const disk = await SmallDisk.mount(4);
    if (disk === null) return;
    const cache = await SqliteVectorStore.open(join(disk.folder, 'vectors.db'));
    const put = (n: number) => cache.put('a', [{ key: contentHash(`${n}`), vector: new Uint8Array(200_000).fill(n) }]);
    try {
      disk.fill(0);
      await expect(put(0)).rejects.toMatchObject({ kind: 'transient' });
      disk.free();
      await put(1);
      disk.fill(0);
      await expect(put(2)).rejects.toMatchObject({ kind: 'transient' });
      expect(await cache.get([contentHash('1'), contentHash('2')])).toEqual([expect.anything(), null]);
    } finally {
      await cache.close();
      await disk.unmount();
    }
  });

  it('removes vectors on a disk that is full, in the space reserved for that', async () => {
    const disk = await SmallDisk.mount(8);
    if (disk === null) return;
    const file = join(disk.folder, 'vectors.db');
    const cache = await SqliteVectorStore.open(file);
    const key = (n: number) => contentHash(`${n}`);
    const put = (n: number) => cache.put(`owner ${n}`, [{ key: key(n), vector: new Uint8Array(300_000).fill(n) }]);
    try {
      for (let n = 0; n < 4; n += 1) await put(n);
      disk.fill(0);
      await expect(put(4)).rejects.toMatchObject({ kind: 'transient' });
      for (let n = 0; n < 3; n += 1) await cache.release(`owner ${n}`);
      expect(await cache.get([0, 1, 2, 3].map(key))).toEqual([null, null, null, expect.anything()]);
      // In the same transaction as writes that are refused.
      const [refused, released] = await Promise.allSettled([put(5), cache.release('owner 3')]);
      expect([refused.status, released.status]).toEqual(['rejected', 'fulfilled']);
    } finally {
      await cache.close();
      await disk.unmount();
    }
  });

  it('rejects with a transient error while another connection writes', async () => {
    const cache = await SqliteVectorStore.open(path);
    await cache.put('a', []);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const put = () => cache.put('a', [{ key: contentHash('text'), vector: Uint8Array.of(1) }]);
    await expect(put()).rejects.toMatchObject({ kind: 'transient', code: 'busy' });
    other.close();
    await put();
    await cache.close();
  });

  it('rejects with a transient error while no file can be opened', async () => {
    const cache = await SqliteVectorStore.open(path);
    await cache.put('a', []);
    await cache.close();
    const reader = openVectorReader(path);
    const read = async () => reader.get([contentHash('text')]);
    const outcome = await withoutFileDescriptors(() => read().catch((error: unknown) => error));
    if (outcome !== null) expect(outcome).toMatchObject({ kind: 'transient', code: 'too_many_files' });
    expect(await read()).toEqual([null]);
    reader.close();
  });

  it('shows a reader on another connection every vector whose put has resolved', async () => {
    const cache = await SqliteVectorStore.open(path);
    const reader = openVectorReader(path);
    const key = contentHash('text');
    expect(reader.get([key])).toEqual([null]);
    const vector = Uint8Array.of(1, 2, 3);
    await cache.put('a', [{ key, vector }]);
    expect([...reader.get([key])[0]!]).toEqual([...vector]);
    await cache.release('a');
    expect(reader.get([key])).toEqual([null]);
    reader.close();
    await cache.close();
  });

  it('starts its thread again when that was lost, and says so', async () => {
    const lost: string[] = [];
    const posted = jest.spyOn(Worker.prototype, 'postMessage');
    const cache = await SqliteVectorStore.open(path, { warn: (message) => lost.push(message) });
    const key = contentHash('text');
    await cache.put('a', [{ key, vector: Uint8Array.of(1, 2) }]);
    const [thread] = posted.mock.contexts as Worker[];
    posted.mockRestore();
    const asked = cache.get([key]).catch((error: unknown) => error);
    await thread?.terminate();
    expect([null, 'thread_gone']).toContain(((await asked) as { code?: string }).code ?? null);
    await cache.release('a');
    expect(await cache.get([key])).toEqual([null]);
    expect(lost).toEqual([expect.stringMatching(/vectors was lost and is started again/)]);
    await cache.close();
  });

  it('leaves no released vector in any file while it is open', async () => {
    const cache = await SqliteVectorStore.open(path);
    const marked = new TextEncoder().encode('a vector that is released');
    await cache.put('a', [{ key: contentHash('text'), vector: marked }]);
    expect(await isInFiles(folder, marked)).toBe(true);
    await cache.release('a');
    await until(
      async () => (await stat(`${path}-wal`)).size,
      (size) => size === 0,
    );
    expect(await isInFiles(folder, marked)).toBe(false);
    await cache.close();
  });
});

async function isInFiles(folder: string, bytes: Uint8Array): Promise<boolean> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return files.some((content) => content.includes(Buffer.from(bytes)));
}
