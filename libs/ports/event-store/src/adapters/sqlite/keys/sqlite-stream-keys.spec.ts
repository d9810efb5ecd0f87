import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import { hasCode } from '#platform/kernel';
import { SmallDisk } from '../../../../../../../test/support/small-disk.ts';
import { eventually, until } from '../../../../../../platform/kernel/src/testing/eventually.ts';
import { streamKeysContract } from '../../../stream-keys.contract.ts';
import { SqliteStreamKeys } from './sqlite-stream-keys.ts';

const ID = 'a'.repeat(32);
const secret = Buffer.from('the secret of 32 bytes of a key.');

describe('SqliteStreamKeys', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-keys-'));
    path = join(folder, 'stream-keys.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  streamKeysContract(() => SqliteStreamKeys.open(path));

  it('keeps keys over a restart, and leaves nothing of a destroyed one in any file while it is open', async () => {
    const before = await SqliteStreamKeys.open(path);
    for (let n = 0; n < 200; n += 1) await before.put(`other ${n}`, ID, Buffer.alloc(32, n));
    await before.put('stream', ID, secret);
    await before.close();
    const keys = await SqliteStreamKeys.open(path);
    try {
      expect(Buffer.from((await keys.get('stream', ID)) ?? [])).toEqual(secret);
      expect(await isInFiles(folder)).toBe(true);
      await keys.destroy('stream');
      await until(
        async () => (await stat(`${path}-wal`)).size,
        (size) => size === 0,
      );
      expect(await isInFiles(folder)).toBe(false);
      expect(await keys.get('other 199', ID)).not.toBeNull();
    } finally {
      await keys.close();
    }
  });

  it('serves other threads through ports', async () => {
    const keys = await SqliteStreamKeys.open(path);
    const attached = SqliteStreamKeys.attach(keys.newClientPort());
    await attached.put('stream', ID, secret);
    expect(await keys.get('stream', ID)).not.toBeNull();
    await keys.destroy('stream');
    expect(await attached.get('stream', ID)).toBeNull();
    await attached.close();
    await keys.put('stream', ID, secret);
    await keys.close();
  });

  it('starts its thread again when that was lost, for other threads too, and says so', async () => {
    const lost: string[] = [];
    const posted = jest.spyOn(Worker.prototype, 'postMessage');
    const keys = await SqliteStreamKeys.open(path, { warn: (message) => lost.push(message) });
    const [thread] = posted.mock.contexts as Worker[];
    posted.mockRestore();
    const attached = SqliteStreamKeys.attach(keys.newClientPort());
    await attached.put('stream', ID, secret);
    await thread?.terminate();
    expect(Buffer.from((await again(() => attached.get('stream', ID))) ?? [])).toEqual(secret);
    await again(() => keys.destroy('stream'));
    expect(await attached.get('stream', ID)).toBeNull();
    expect(lost).toEqual([expect.stringMatching(/stream keys was lost and is started again/)]);
    await attached.close();
    await keys.close();
  });

  it('refuses a key on a full disk with a transient error, and destroys keys there', async () => {
    const disk = await SmallDisk.mount(8);
    if (disk === null) return;
    const keys = await SqliteStreamKeys.open(join(disk.folder, 'stream-keys.db'));
    try {
      await keys.put('stream', ID, secret);
      disk.fill(0);
      const puts = Array.from({ length: 200 }, (_, n) => keys.put(`full ${n}`, ID, secret));
      const outcomes = await Promise.allSettled(puts);
      expect(outcomes).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'no_space' }) });
      await keys.destroy('stream');
      expect(await keys.get('stream', ID)).toBeNull();
      disk.free();
      await keys.put('later', ID, secret);
    } finally {
      await keys.close();
      await disk.unmount();
    }
  });
});

/** Repeats a call while it meets the thread that was lost. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  const { result } = await eventually(async () => {
    try {
      return { result: await call() };
    } catch (error) {
      if (!hasCode(error, 'thread_gone')) throw error;
      return null;
    }
  });
  return result;
}

async function isInFiles(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return contents.some((content) => content.includes(secret));
}
