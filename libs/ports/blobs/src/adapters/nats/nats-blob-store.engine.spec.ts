import { createHash, randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openRecordStream } from '#platform/nats';
import { eventually } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { blobStoreContract } from '../../blob-store.contract.ts';
import { openNatsBlobs } from '../../index.ts';
import { BlobStorageFullError, type BlobStore, DamagedBlobError } from '../../port.ts';

/** Frees unused memory, so that the rest can be measured. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** More than one part. */
const LONG = 1_300_000;
const sha = (bytes: Uint8Array | null) => bytes && createHash('sha256').update(bytes).digest('hex');

describe('NatsBlobStore', () => {
  const nats = natsSuite();
  let store: BlobStore;
  beforeEach(async () => {
    store = await openNatsBlobs({ ...nats.options, mayCreate: true });
  });

  blobStoreContract(() => openNatsBlobs({ ...nats.options, mayCreate: true }));

  async function subjects(kind: string): Promise<string[]> {
    const found: string[] = [];
    const records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
    for await (const subject of records.subjects(`${nats.bucket}.${kind}.>`)) found.push(subject);
    return found;
  }

  async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }

  it.each([524_286, 524_287, 524_288, 524_289, LONG])('stores %i bytes, given whole or in pieces', async (size) => {
    const bytes = randomBytes(size);
    expect(await store.put('org/doc/whole', bytes)).toEqual({ length: size });
    expect(await store.put('org/doc/pieces', inPieces(bytes, 70_001))).toEqual({ length: size });
    expect(sha(await store.get('org/doc/whole'))).toBe(sha(bytes));
    expect(sha(await store.get('org/doc/pieces'))).toBe(sha(bytes));
  });

  it('deletePrefix() does not match documents whose id begins alike', async () => {
    for (const key of ['o/d/x', 'o/d.1/x', 'o/d-1/x', 'o/d/x.y', 'o.p/d/x']) await store.put(key, randomBytes(10));
    await store.deletePrefix('o/d/');
    const folders: string[] = [];
    for await (const folder of store.listFolders()) folders.push(folder);
    expect(folders.sort()).toEqual(['o.p/d', 'o/d-1', 'o/d.1']);
    expect(await store.get('o/d/x.y')).toBeNull();
  });

  /** Ends of the records of a kind, as the server stores them. */
  async function marks(kind: string): Promise<Uint8Array[]> {
    const records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
    const found: Uint8Array[] = [];
    for (const subject of await subjects(kind)) {
      for (let one = await records.next(subject, 0); one !== null; one = await records.next(subject, one.seq)) {
        found.push(one.data.slice(-32));
      }
    }
    return found;
  }

  const onDisk = async (stored: readonly Uint8Array[]) =>
    Promise.all(stored.map((mark) => nats.isOnDisk(mark))).then((found) => found.filter(Boolean).length);

  it.each([100, LONG])('never has any of %i bytes in the files of the server as they are', async (size) => {
    const bytes = Buffer.from('word '.repeat(size / 5));
    await store.put('org/doc/text', bytes);
    expect(await nats.isOnDisk(bytes.subarray(0, 20))).toBe(false);
    expect(await store.get('org/doc/text')).toEqual(bytes);
  });

  it.each([100, LONG])('leaves no secret of %i deleted bytes, and nothing sealed with it', async (size) => {
    await store.put('org/doc/text', randomBytes(size));
    const stored = (await Promise.all(['b', 'c', 'k'].map(marks))).flat();
    await store.put('org/other/text', randomBytes(1000));
    expect(await onDisk(stored)).toBe(stored.length);
    await store.deletePrefix('org/doc/');
    expect(await onDisk(stored)).toBe(0);
    for (const kind of ['b', 'c', 'k', 'u']) {
      expect((await subjects(kind)).filter((subject) => subject.includes('.doc.'))).toEqual([]);
    }
  });

  it('leaves neither bytes nor secret of a replaced blob', async () => {
    await store.put('org/doc/text', randomBytes(LONG));
    const stored = (await Promise.all(['b', 'c', 'k'].map(marks))).flat();
    await store.put('org/doc/text', randomBytes(10));
    expect(await onDisk(stored)).toBe(0);
    expect(await subjects('c')).toEqual([]);
    expect(await marks('k')).toHaveLength(1);
  });

  it('counts a blob whose deletion was interrupted as missing, and continues the deletion', async () => {
    for (const [name, size] of [
      ['short', 100],
      ['long', LONG],
    ] as const)
      await store.put(`org/doc/${name}`, randomBytes(size));
    const records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
    for (const subject of await subjects('k')) await records.erase((await records.last(subject))!.seq);
    for (const name of ['short', 'long']) {
      expect(await store.get(`org/doc/${name}`)).toBeNull();
      expect(await store.stream(`org/doc/${name}`)).toBeNull();
    }
    await store.deletePrefix('org/doc/');
    for (const kind of ['b', 'c']) expect(await subjects(kind)).toEqual([]);
  });

  it('rejects with DamagedBlobError when a part is lost, until the blob is replaced or deleted', async () => {
    const records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
    const bytes = randomBytes(LONG);
    const lose = async () => {
      await store.put('org/doc/text', bytes);
      const [parts = ''] = await subjects('c');
      await records.erase((await records.last(parts))!.seq);
    };
    await lose();
    await expect(store.get('org/doc/text')).rejects.toThrow(DamagedBlobError);
    const pieces = (await store.stream('org/doc/text'))!;
    await expect(Array.fromAsync(pieces)).rejects.toThrow(DamagedBlobError);
    await store.put('org/doc/text', bytes);
    expect(sha(await store.get('org/doc/text'))).toBe(sha(bytes));
    await lose();
    await store.delete('org/doc/text');
    expect(await store.get('org/doc/text')).toBeNull();
  });

  it('leaves no secret of a put that fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield randomBytes(10);
      throw new Error('the source has failed');
    }
    await expect(store.put('org/doc/text', failing())).rejects.toThrow('the source has failed');
    expect(await subjects('k')).toEqual([]);
  });

  it('keeps one whole blob of concurrent puts with one key', async () => {
    const blobs = Array.from({ length: 6 }, () => randomBytes(LONG));
    await Promise.all(blobs.map((bytes) => store.put('org/doc/text', bytes)));
    expect(blobs.map(sha)).toContain(sha(await store.get('org/doc/text')));
    expect(await subjects('c')).toHaveLength(1);
    expect(await subjects('u')).toEqual([]);
  });

  it('readers get the old or the new blob, never a mixture', async () => {
    const blobs = [randomBytes(LONG), randomBytes(LONG)];
    await store.put('org/doc/text', blobs[0]!);
    const sums = blobs.map(sha);
    let isWriting = true;
    const writing = (async () => {
      for (let i = 1; i <= 10; i++) await store.put('org/doc/text', blobs[i % 2]!);
    })().finally(() => {
      isWriting = false;
    });
    while (isWriting) expect(sums).toContain(sha(await store.get('org/doc/text')));
    await writing;
  });

  it('removes a blob whose folder was deleted during the put', async () => {
    async function* interrupted(): AsyncGenerator<Uint8Array> {
      yield* inPieces(randomBytes(LONG), 100_000);
      await store.deletePrefix('org/doc/');
      yield* inPieces(randomBytes(LONG), 100_000);
    }
    await store.put('org/doc/text', interrupted());
    expect(await store.get('org/doc/text')).toBeNull();
    for (const kind of ['b', 'c', 'u']) expect(await subjects(kind)).toEqual([]);
  });

  it('rejects with BlobStorageFullError, keeps stored blobs, and accepts blobs after a deletion', async () => {
    const limited = await openNatsBlobs({ ...nats.options, mayCreate: true, maxBytes: 3_000_000 });
    await limited.put('org/doc/text', randomBytes(10));
    await expect(limited.put('org/doc/text', randomBytes(4_000_000))).rejects.toThrow(BlobStorageFullError);
    expect(await limited.get('org/doc/text')).toHaveLength(10);
    await limited.put('org/large/text', randomBytes(2_500_000));
    await expect(limited.put('org/doc/other', randomBytes(500_000))).rejects.toThrow(BlobStorageFullError);
    await limited.deletePrefix('org/large/');
    expect(await limited.put('org/doc/other', randomBytes(500_000))).toEqual({ length: 500_000 });
    expect(await subjects('u')).toEqual([]);
  });

  it('keeps a stored blob when the server is killed', async () => {
    const bytes = randomBytes(LONG);
    await store.put('org/doc/text', bytes);
    await nats.server.kill();
    await nats.server.restart();
    await eventually(() => nats.connection.request('$JS.API.INFO', undefined, { timeout: 500 }).catch(() => null));
    expect(sha(await store.get('org/doc/text'))).toBe(sha(bytes));
  });

  it('puts 200 MB from a stream without keeping them in memory', async () => {
    const piece = randomBytes(1_000_000);
    const used = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = used();
    let most = 0;
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i++) {
        if (i % 10 === 0) most = Math.max(most, used() - before);
        yield piece;
      }
    }
    await store.put('org/doc/file', large());
    expect(most).toBeLessThan(50_000_000);
    expect(await store.get('org/doc/file')).toHaveLength(200_000_000);
  });
});
