import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutFileDescriptors } from '../../../../../../test/support/file-descriptors.ts';
import { SmallDisk } from '../../../../../../test/support/small-disk.ts';
import { blobStoreContract } from '../../blob-store.contract.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

describe('DiskBlobStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-blobs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  blobStoreContract(() => DiskBlobStore.open(folder));

  const incoming = () => readdir(join(folder, '.incoming'));

  it('open() removes incomplete files of a killed process', async () => {
    await DiskBlobStore.open(folder);
    await writeFile(join(folder, '.incoming', 'begun'), 'half');
    await DiskBlobStore.open(folder);
    expect(await incoming()).toEqual([]);
  });

  it('removeInterrupted() removes incomplete files after a day', async () => {
    const tomorrow = { now: () => Date.now() + 25 * 3_600_000 };
    for (const clock of [undefined, tomorrow]) {
      const store = await DiskBlobStore.open(folder, clock);
      await store.put('org/doc/text', Uint8Array.of(1));
      await writeFile(join(folder, '.incoming', 'begun'), 'half');
      await store.removeInterrupted(new AbortController().signal);
      expect(await incoming()).toEqual(clock === undefined ? ['begun'] : []);
      expect(await store.get('org/doc/text')).toHaveLength(1);
    }
  });

  it('putFile() copies a file of another file system', async () => {
    const disk = await SmallDisk.mount(2);
    if (disk === null) return;
    try {
      const store = await DiskBlobStore.open(folder);
      const path = join(disk.folder, 'file');
      await writeFile(path, 'content');
      expect(await store.putFile('org/doc/text', path)).toEqual({ length: 7 });
      expect(String(await store.get('org/doc/text'))).toBe('content');
      expect(await incoming()).toEqual([]);
    } finally {
      await disk.unmount();
    }
  });

  it('putFile() of a file that is the blob already leaves no incomplete file', async () => {
    const store = await DiskBlobStore.open(folder);
    const path = join(folder, 'upload');
    await writeFile(path, 'content');
    for (let i = 0; i < 2; i++) await store.putFile('org/doc/text', path);
    expect(await incoming()).toEqual([]);
  });

  it('filePath() returns the file of a blob', async () => {
    const store = await DiskBlobStore.open(folder);
    await store.put('org/doc/text', Uint8Array.of(1));
    expect(await store.filePath('org/doc/text')).toBe(join(folder, 'org/doc/text'));
  });

  it('hold() keeps the files of deleted blobs until its release', async () => {
    const store = await DiskBlobStore.open(folder);
    const keys = async () => {
      const found: string[] = [];
      for await (const { key } of store.files()) found.push(key);
      return found.toSorted();
    };
    await store.put('org/doc/text', Uint8Array.of(1));
    await store.put('org/other/text', Uint8Array.of(2));
    const hold = store.hold();
    await store.deletePrefix('org/doc/');
    await store.deletePrefix('org/never/');
    expect(await store.get('org/doc/text')).toBeNull();
    expect(await keys()).toEqual(['org/doc/text', 'org/other/text']);
    for await (const name of store.listFolders()) expect(name).toBe('org/other');
    await hold.release();
    expect(await keys()).toEqual(['org/other/text']);
    await store.deletePrefix('org/other/');
    expect(await keys()).toEqual([]);
  });

  it('attach() does not disturb a blob that is being written', async () => {
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

  it.each(['ENOSPC', 'EDQUOT'])(
    'rejects with BlobStorageFullError for %s and removes the incomplete file',
    async (code) => {
      const store = await DiskBlobStore.open(folder);
      async function* overflowing(): AsyncGenerator<Uint8Array> {
        yield Uint8Array.of(1);
        throw Object.assign(new Error('no space left on device'), { code });
      }
      await expect(store.put('org/doc/text', overflowing())).rejects.toMatchObject({
        name: 'BlobStorageFullError',
        kind: 'transient',
        code: 'no_space',
      });
      expect(await store.get('org/doc/text')).toBeNull();
      expect(await incoming()).toEqual([]);
    },
  );

  it.each([
    ['EMFILE', 'too_many_files'],
    ['ENFILE', 'too_many_files'],
    ['EBUSY', 'busy'],
    ['EIO', 'io_error'],
  ])('rejects a put with a transient error for %s and removes the incomplete file', async (code, translated) => {
    const store = await DiskBlobStore.open(folder);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw Object.assign(new Error('for now'), { code });
    }
    await expect(store.put('org/doc/text', failing())).rejects.toMatchObject({ kind: 'transient', code: translated });
    expect(await incoming()).toEqual([]);
  });

  it('rejects with a transient error while no file can be opened', async () => {
    const store = await DiskBlobStore.open(folder);
    await store.put('org/doc/text', Uint8Array.of(1));
    const calls = [
      () => store.get('org/doc/text'),
      () => store.put('org/doc/other', Uint8Array.of(2)),
      () => store.deletePrefix('org/doc/'),
      async () => {
        for await (const _ of store.listFolders());
      },
    ];
    const outcomes = await withoutFileDescriptors(() => Promise.allSettled(calls.map((call) => call())));
    if (outcomes === null) return;
    const rejected = { status: 'rejected', reason: { kind: 'transient', code: 'too_many_files' } };
    expect(outcomes).toMatchObject(calls.map(() => rejected));
    expect(await store.get('org/doc/text')).toEqual(Buffer.of(1));
  });

  it('rejects with a transient error on a disk that is full', async () => {
    const disk = await SmallDisk.mount(2);
    if (disk === null) return;
    try {
      const store = await DiskBlobStore.open(disk.folder);
      disk.fill(0);
      await expect(store.put('org/doc/text', new Uint8Array(100_000))).rejects.toMatchObject({
        kind: 'transient',
        code: 'no_space',
      });
      disk.free();
      await store.put('org/doc/text', new Uint8Array(100_000));
    } finally {
      await disk.unmount();
    }
  });

  it('removes the incomplete file if a stream fails', async () => {
    const store = await DiskBlobStore.open(folder);
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw new Error('broken');
    }
    await expect(store.put('org/doc/text', breaking())).rejects.toThrow('broken');
    expect(await incoming()).toEqual([]);
  });
});
