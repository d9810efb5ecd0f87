import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobStoreContract } from '../../blob-store.contract.ts';
import { BlobStorageFullError } from '../../port.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

describe('DiskBlobStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-blobs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  blobStoreContract(() => DiskBlobStore.open(folder));

  const incoming = () => readdir(join(folder, '.incoming'));

  it('removes what a process that was killed had begun to write', async () => {
    await DiskBlobStore.open(folder);
    await writeFile(join(folder, '.incoming', 'begun'), 'half');
    await DiskBlobStore.open(folder);
    expect(await incoming()).toEqual([]);
  });

  it('names the file of a blob, so that another process can read it', async () => {
    const store = await DiskBlobStore.open(folder);
    await store.put('org/doc/text', Uint8Array.of(1));
    expect(await store.filePath('org/doc/text')).toBe(join(folder, 'org/doc/text'));
  });

  it('lets another thread attach while a blob is being written', async () => {
    const store = await DiskBlobStore.open(folder);
    let attached: DiskBlobStore | undefined;
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      attached = DiskBlobStore.attach(folder);
      yield Uint8Array.of(2);
    }
    await store.put('org/doc/text', slow());
    expect(await attached?.get('org/doc/text')).toHaveLength(2);
  });

  it.each(['ENOSPC', 'EDQUOT'])('says that there is no room (%s), and leaves nothing behind', async (code) => {
    const store = await DiskBlobStore.open(folder);
    async function* overflowing(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw Object.assign(new Error('no space left on device'), { code });
    }
    await expect(store.put('org/doc/text', overflowing())).rejects.toThrow(BlobStorageFullError);
    expect(await store.get('org/doc/text')).toBeNull();
    expect(await incoming()).toEqual([]);
  });

  it('leaves no partial file when a stream breaks', async () => {
    const store = await DiskBlobStore.open(folder);
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw new Error('broken');
    }
    await expect(store.put('org/doc/text', breaking())).rejects.toThrow('broken');
    expect(await incoming()).toEqual([]);
  });
});
