import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobInterruptedError, type BlobStore, InvalidBlobKeyError } from './port.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Uint8Array | null) => found && Buffer.from(found).toString();

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of texts) yield bytes(chunk);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield bytes('begun');
  throw new Error('the caller hung up');
}

/** Longer than one piece of any adapter. */
const LONG = 3_000_000;

async function joined(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer | null> {
  if (stream === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Contract of the blob store port. Each call of `open` opens the same data again. */
export function blobStoreContract(open: () => Promise<BlobStore>): void {
  let store: BlobStore;
  const folders = async () => {
    const found: string[] = [];
    for await (const folder of store.listFolders()) found.push(folder);
    return found.sort();
  };

  beforeEach(async () => {
    store = await open();
  });

  it('returns a stored blob, after a restart too', async () => {
    expect(await store.put('org/doc/text', bytes('content'))).toEqual({ length: 7 });
    store = await open();
    expect(text(await store.get('org/doc/text'))).toBe('content');
  });

  it('put() accepts a stream', async () => {
    expect(await store.put('org/doc/file.v1', chunks('one ', 'two ', 'three'))).toEqual({ length: 13 });
    expect(text(await store.get('org/doc/file.v1'))).toBe('one two three');
  });

  describe('putFile()', () => {
    let folder: string;
    const fileOf = async (content: string | Uint8Array) => {
      const path = join(folder, 'file');
      await writeFile(path, content);
      return path;
    };
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mneme-blob-file-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    it.each([0, 7, LONG])('stores a file of %i bytes, and leaves it to the caller', async (length) => {
      const content = Buffer.alloc(length, 'mneme');
      const path = await fileOf(content);
      expect(await store.putFile('org/doc/file', path)).toEqual({ length });
      expect(content.equals(await readFile(path))).toBe(true);
      await rm(path);
      store = await open();
      expect(content.equals((await store.get('org/doc/file')) ?? Buffer.of(1))).toBe(true);
    });

    it('stores the same file again, and under other keys', async () => {
      const path = await fileOf('content');
      const keys = ['org/doc/file', 'org/doc/file', 'org/doc/other', 'org/doc2/file'];
      for (const key of keys) await store.putFile(key, path);
      await store.deletePrefix('org/doc2/');
      expect(text(await store.get('org/doc/file'))).toBe('content');
      expect(text(await store.get('org/doc/other'))).toBe('content');
      expect(await folders()).toEqual(['org/doc']);
    });

    it('replaces a blob, and is replaced by one, without a change of the file', async () => {
      await store.put('org/doc/file', bytes('first'));
      const path = await fileOf('second');
      await store.putFile('org/doc/file', path);
      expect(text(await store.get('org/doc/file'))).toBe('second');
      await store.put('org/doc/file', bytes('third'));
      expect(text(await store.get('org/doc/file'))).toBe('third');
      expect(await readFile(path, 'utf8')).toBe('second');
    });

    it('rejects and keeps the earlier blob if the file does not exist', async () => {
      await store.put('org/doc/file', bytes('first'));
      await expect(store.putFile('org/doc/file', join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(store.putFile('org/new/file', join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
      expect(text(await store.get('org/doc/file'))).toBe('first');
      expect(await folders()).toEqual(['org/doc']);
    });
  });

  it('stores an empty blob', async () => {
    await store.put('org/doc/empty', new Uint8Array());
    expect(await store.get('org/doc/empty')).toHaveLength(0);
  });

  it('get() returns null for a blob that does not exist', async () => {
    await store.put('org/doc/text', bytes('content'));
    expect(await store.get('org/doc/other')).toBeNull();
    expect(await store.get('org/other/text')).toBeNull();
  });

  it.each([0, 7, LONG])('streams %i bytes', async (length) => {
    const content = Buffer.alloc(length, 'mneme');
    await store.put('org/doc/file', content);
    expect((await joined(await store.stream('org/doc/file')))?.equals(content)).toBe(true);
  });

  it.each([1, 7, 65_536, 524_288, LONG - 1, LONG, LONG + 1])('streams what follows after %i bytes', async (from) => {
    const content = Buffer.from(Array.from({ length: LONG }, (_, i) => i % 251));
    await store.put('org/doc/file', content);
    expect((await joined(await store.stream('org/doc/file', from)))?.equals(content.subarray(from))).toBe(true);
  });

  it.each([0, 3, 7, 8])('streams what follows after %i of seven bytes', async (from) => {
    await store.put('org/doc/file', bytes('content'));
    expect((await joined(await store.stream('org/doc/file', from)))?.toString()).toBe('content'.slice(from));
  });

  it.each([0, 7, LONG])('size() of %i bytes', async (length) => {
    await store.put('org/doc/file', Buffer.alloc(length, 'mneme'));
    expect(await store.size('org/doc/file')).toBe(length);
    expect(await store.size('org/doc/other')).toBeNull();
  });

  it('stream() returns null for a blob that does not exist', async () => {
    expect(await store.stream('org/doc/other')).toBeNull();
  });

  it('a stream may end early or not begin', async () => {
    await store.put('org/doc/file', Buffer.alloc(LONG, 'mneme'));
    for await (const piece of (await store.stream('org/doc/file')) ?? []) {
      expect(Buffer.from(piece).toString()).toMatch(/^mneme/);
      break;
    }
    await store.stream('org/doc/file');
    await store.deletePrefix('org/doc/');
  });

  it('a stream whose blob was deleted before it began throws BlobInterruptedError', async () => {
    await store.put('org/doc/file', Buffer.alloc(LONG, 'mneme'));
    const stream = await store.stream('org/doc/file');
    await store.deletePrefix('org/doc/');
    await expect(joined(stream)).rejects.toThrow(BlobInterruptedError);
  });

  it('filePath() returns the file of the blob or null', async () => {
    await store.put('org/doc/text', bytes('content'));
    const path = await store.filePath('org/doc/text');
    if (path !== null) expect(await readFile(path, 'utf8')).toBe('content');
    expect(await store.filePath('org/doc/other')).toBeNull();
  });

  it('put() replaces a blob', async () => {
    await store.put('org/doc/text', bytes('a long first version'));
    await store.put('org/doc/text', bytes('second'));
    expect(text(await store.get('org/doc/text'))).toBe('second');
  });

  it('put() keeps the earlier blob if its stream fails', async () => {
    await store.put('org/doc/text', bytes('first'));
    await expect(store.put('org/doc/text', failing())).rejects.toThrow('the caller hung up');
    await expect(store.put('org/new/text', failing())).rejects.toThrow('the caller hung up');
    expect(text(await store.get('org/doc/text'))).toBe('first');
    expect(await store.get('org/new/text')).toBeNull();
    expect(await folders()).toEqual(['org/doc']);
  });

  it('delete() removes one blob and nothing else, and accepts one that does not exist', async () => {
    const large = new Uint8Array(1_500_000).fill(7);
    await store.put('a/1/x', large);
    await store.put('a/1/y', large);
    await store.delete('a/1/x');
    expect(await store.get('a/1/x')).toBeNull();
    expect((await store.get('a/1/y'))?.length).toBe(large.length);
    await store.delete('a/1/x');
    await store.delete('a/unknown/x');
    await expect(store.delete('a/1/')).rejects.toThrow(InvalidBlobKeyError);
  });

  it('deletePrefix() removes a document or an organization and nothing else', async () => {
    for (const key of ['a/1/x', 'a/1/y', 'a/12/x', 'a/2/x', 'b/1/x']) await store.put(key, bytes(key));
    await store.deletePrefix('a/1/');
    expect(await store.get('a/1/x')).toBeNull();
    expect(await folders()).toEqual(['a/12', 'a/2', 'b/1']);
    await store.deletePrefix('a/');
    expect(await folders()).toEqual(['b/1']);
    expect(text(await store.get('b/1/x'))).toBe('b/1/x');
  });

  it('listFoldersWith() lists the folders that hold a blob of a name', async () => {
    for (const key of ['a/1/x.part', 'a/1/y', 'a/2/y', 'b/1/x.part', 'b/x.part/y']) await store.put(key, bytes(key));
    expect((await Array.fromAsync(store.listFoldersWith('x.part'))).sort()).toEqual(['a/1', 'b/1']);
    await store.delete('a/1/x.part');
    expect(await Array.fromAsync(store.listFoldersWith('x.part'))).toEqual(['b/1']);
    expect(await Array.fromAsync(store.listFoldersWith('unknown'))).toEqual([]);
  });

  it('removeInterrupted() keeps stored blobs', async () => {
    for (const length of [7, LONG]) await store.put(`org/doc/${length}`, Buffer.alloc(length, 'mneme'));
    await store.put('org/doc/7', bytes('another'));
    await store.removeInterrupted(new AbortController().signal);
    expect(text(await store.get('org/doc/7'))).toBe('another');
    expect(await store.get(`org/doc/${LONG}`)).toHaveLength(LONG);
  });

  it('deletePrefix() accepts folders that do not exist', async () => {
    await expect(store.deletePrefix('unknown/unknown/')).resolves.toBeUndefined();
    await expect(store.deletePrefix('unknown/')).resolves.toBeUndefined();
  });

  it.each(['org/doc/', 'org/', 'org/doc/text'])(
    'leaves nothing of a put that ends after the deletion of %s',
    async (deleted) => {
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield bytes('begun before');
        await (deleted.endsWith('/') ? store.deletePrefix(deleted) : store.delete(deleted));
        yield bytes(' and ended after');
      }
      await store.put('org/doc/text', slow());
      await store.put('org/doc2/text', bytes('of another document'));
      expect(await store.get('org/doc/text')).toBeNull();
      expect(await folders()).toEqual(['org/doc2']);
    },
  );

  it('deletePrefix() removes a folder into which blobs are put', async () => {
    const putting = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < 40; i += 1) await store.put(`org/doc/name-${writer}-${i}`, bytes('content'));
    });
    let isPut = false;
    // All of them end within the test, also if one fails.
    const put = Promise.allSettled(putting).finally(() => {
      isPut = true;
    });
    try {
      while (!isPut) await store.deletePrefix('org/doc/');
    } finally {
      expect((await put).filter(({ status }) => status === 'rejected')).toEqual([]);
    }
    await store.deletePrefix('org/doc/');
    expect(await folders()).toEqual([]);
  });

  it('put() succeeds after a deletion', async () => {
    await store.put('org/doc/text', bytes('first'));
    await store.deletePrefix('org/doc/');
    await store.put('org/doc/text', bytes('second'));
    expect(text(await store.get('org/doc/text'))).toBe('second');
  });

  it('executes concurrent puts', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `name-${i}`);
    await Promise.all(names.map((name) => store.put(`org/doc/${name}`, bytes(name))));
    expect(await Promise.all(names.map(async (name) => text(await store.get(`org/doc/${name}`))))).toEqual(names);
  });

  const badKeys = [
    '',
    'a',
    'a/b',
    'a/b/',
    '/a/b/c',
    'a/b/c/d',
    '../b/c',
    'a/../c',
    'a/b/..',
    'a/b/.c',
    'a//c',
    'a/b/c d',
  ];
  it.each(badKeys)('rejects the key %j', async (key) => {
    await expect(store.put(key, bytes('x'))).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.get(key)).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.size(key)).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.stream(key)).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.filePath(key)).rejects.toThrow(InvalidBlobKeyError);
  });

  it.each(['', '/', 'a', 'a/b', '../', 'a/../', './', 'a/b/c/'])('deletePrefix() rejects %j', async (prefix) => {
    await expect(store.deletePrefix(prefix)).rejects.toThrow(InvalidBlobKeyError);
  });
}
