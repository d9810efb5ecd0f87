import { readFile } from 'node:fs/promises';
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

/** More than any adapter holds in one piece. */
const LONG = 3_000_000;

async function joined(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer | null> {
  if (stream === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** What every BlobStore does. `open` makes a new one over what the one before it left. */
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

  it('gives back what was put, after a restart too', async () => {
    expect(await store.put('org/doc/text', bytes('content'))).toEqual({ length: 7 });
    store = await open();
    expect(text(await store.get('org/doc/text'))).toBe('content');
  });

  it('takes a stream', async () => {
    expect(await store.put('org/doc/file.v1', chunks('one ', 'two ', 'three'))).toEqual({ length: 13 });
    expect(text(await store.get('org/doc/file.v1'))).toBe('one two three');
  });

  it('holds an empty blob', async () => {
    await store.put('org/doc/empty', new Uint8Array());
    expect(await store.get('org/doc/empty')).toHaveLength(0);
  });

  it('answers null for what is not there', async () => {
    await store.put('org/doc/text', bytes('content'));
    expect(await store.get('org/doc/other')).toBeNull();
    expect(await store.get('org/other/text')).toBeNull();
  });

  it.each([0, 7, LONG])('streams %i bytes', async (length) => {
    const content = Buffer.alloc(length, 'mneme');
    await store.put('org/doc/file', content);
    expect((await joined(await store.stream('org/doc/file')))?.equals(content)).toBe(true);
  });

  it('streams nothing where there is no blob', async () => {
    expect(await store.stream('org/doc/other')).toBeNull();
  });

  it('lets a stream end early, or not begin', async () => {
    await store.put('org/doc/file', Buffer.alloc(LONG, 'mneme'));
    for await (const piece of (await store.stream('org/doc/file')) ?? []) {
      expect(Buffer.from(piece).toString()).toMatch(/^mneme/);
      break;
    }
    await store.stream('org/doc/file');
    await store.deletePrefix('org/doc/');
  });

  it('interrupts a stream whose blob was deleted before it began', async () => {
    await store.put('org/doc/file', Buffer.alloc(LONG, 'mneme'));
    const stream = await store.stream('org/doc/file');
    await store.deletePrefix('org/doc/');
    await expect(joined(stream)).rejects.toThrow(BlobInterruptedError);
  });

  it('names a file that holds the blob, or none', async () => {
    await store.put('org/doc/text', bytes('content'));
    const path = await store.filePath('org/doc/text');
    if (path !== null) expect(await readFile(path, 'utf8')).toBe('content');
    expect(await store.filePath('org/doc/other')).toBeNull();
  });

  it('replaces', async () => {
    await store.put('org/doc/text', bytes('a long first version'));
    await store.put('org/doc/text', bytes('second'));
    expect(text(await store.get('org/doc/text'))).toBe('second');
  });

  it('puts a new one only where there is none', async () => {
    expect(await store.putNew('org/doc/key', bytes('first'))).toBe(true);
    expect(await store.putNew('org/doc/key', bytes('second'))).toBe(false);
    expect(text(await store.get('org/doc/key'))).toBe('first');
    await store.put('org/doc/text', bytes('put'));
    expect(await store.putNew('org/doc/text', bytes('new'))).toBe(false);
    await store.deletePrefix('org/doc/');
    store = await open();
    expect(await store.putNew('org/doc/key', bytes('third'))).toBe(true);
    expect(text(await store.get('org/doc/key'))).toBe('third');
  });

  it('lets one of many put a new one, and all find that one', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `value ${i}`);
    const won = await Promise.all(names.map((name) => store.putNew('org/doc/key', bytes(name))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(text(await store.get('org/doc/key'))).toBe(names[won.indexOf(true)]);
  });

  it('keeps what was there when a stream breaks', async () => {
    await store.put('org/doc/text', bytes('first'));
    await expect(store.put('org/doc/text', failing())).rejects.toThrow('the caller hung up');
    await expect(store.put('org/new/text', failing())).rejects.toThrow('the caller hung up');
    expect(text(await store.get('org/doc/text'))).toBe('first');
    expect(await store.get('org/new/text')).toBeNull();
    expect(await folders()).toEqual(['org/doc']);
  });

  it('deletes a document, an organization, and nothing beside them', async () => {
    for (const key of ['a/1/x', 'a/1/y', 'a/12/x', 'a/2/x', 'b/1/x']) await store.put(key, bytes(key));
    await store.deletePrefix('a/1/');
    expect(await store.get('a/1/x')).toBeNull();
    expect(await folders()).toEqual(['a/12', 'a/2', 'b/1']);
    await store.deletePrefix('a/');
    expect(await folders()).toEqual(['b/1']);
    expect(text(await store.get('b/1/x'))).toBe('b/1/x');
  });

  it('deletes what is not there', async () => {
    await expect(store.deletePrefix('nobody/nothing/')).resolves.toBeUndefined();
    await expect(store.deletePrefix('nobody/')).resolves.toBeUndefined();
  });

  it('takes blobs again after a deletion', async () => {
    await store.put('org/doc/text', bytes('first'));
    await store.deletePrefix('org/doc/');
    await store.put('org/doc/text', bytes('second'));
    expect(text(await store.get('org/doc/text'))).toBe('second');
  });

  it('takes puts that are made together', async () => {
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
  it.each(badKeys)('refuses the key %j', async (key) => {
    await expect(store.put(key, bytes('x'))).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.putNew(key, bytes('x'))).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.get(key)).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.stream(key)).rejects.toThrow(InvalidBlobKeyError);
    await expect(store.filePath(key)).rejects.toThrow(InvalidBlobKeyError);
  });

  it.each(['', '/', 'a', 'a/b', '../', 'a/../', './', 'a/b/c/'])('refuses to delete by %j', async (prefix) => {
    await expect(store.deletePrefix(prefix)).rejects.toThrow(InvalidBlobKeyError);
  });
}
