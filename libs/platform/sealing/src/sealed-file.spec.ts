import { randomBytes } from 'node:crypto';
import { FixedMasterKeys } from './master-keys.ts';
import { hiddenName, keyIdOfFile, openFile, sealFile } from './sealed-file.ts';

const keyOf = (n: number) => Buffer.alloc(32, n).toString('base64');
const keys = new FixedMasterKeys(keyOf(1), 'MNEME_MASTER_KEY');
const CHUNK = 262_144;
const SEALED_CHUNK = CHUNK + 16;
const HEADER = 15 + 4 + 16;

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

const collected = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(stream));
const seal = async (plain: Uint8Array, name = 'events.db', piece = 1_000_000) =>
  collected(sealFile(inPieces(plain, piece), await keys.newest(), name));
const open = async (sealed: Uint8Array, name = 'events.db', piece = 100_000) =>
  collected(openFile(inPieces(sealed, piece), await keys.newest(), name));

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])('%d bytes open as they were', async (length) => {
  const plain = randomBytes(length);
  const sealed = await seal(plain, 'events.db', 10_000);
  expect(sealed).toHaveLength(HEADER + length + 16 * Math.max(1, Math.ceil(length / CHUNK)));
  expect(await open(sealed)).toEqual(plain);
  expect(await open(sealed, 'events.db', 7_777)).toEqual(plain);
  expect(await seal(plain)).not.toEqual(sealed);
});

test.each([
  ['cut in the header', (bytes: Buffer) => bytes.subarray(0, HEADER - 1)],
  ['cut behind the header', (bytes: Buffer) => bytes.subarray(0, HEADER)],
  ['cut between chunks', (bytes: Buffer) => bytes.subarray(0, HEADER + 2 * SEALED_CHUNK)],
  ['cut in a chunk', (bytes: Buffer) => bytes.subarray(0, -1)],
  ['with more behind it', (bytes: Buffer) => Buffer.concat([bytes, bytes.subarray(-100)])],
  [
    'without its first chunk',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, HEADER), bytes.subarray(HEADER + SEALED_CHUNK)]),
  ],
  [
    'with a changed byte',
    (bytes: Buffer) => Buffer.from(bytes).fill((bytes[HEADER + 9] ?? 0) ^ 1, HEADER + 9, HEADER + 10),
  ],
  ['empty', () => Buffer.alloc(0)],
])('a file that is %s is refused', async (_, change) => {
  const sealed = await seal(randomBytes(2.5 * CHUNK));
  await expect(open(change(sealed))).rejects.toMatchObject({ code: 'seal_broken' });
});

test('a file opens under its own name and with its own key only', async () => {
  const sealed = await seal(Buffer.from('content'));
  await expect(open(sealed, 'vectors.db')).rejects.toMatchObject({ code: 'seal_broken' });
  const [one, other] = await Promise.all([keys.newest(), new FixedMasterKeys(keyOf(2), '').newest()]);
  await expect(collected(openFile(inPieces(sealed, 100), other, 'events.db'))).rejects.toMatchObject({
    code: 'seal_broken',
  });
  expect(await keyIdOfFile(inPieces(sealed, 100))).toBe(one.id);
  await expect(keyIdOfFile(inPieces(Buffer.from('{"format": 1}'), 100))).rejects.toMatchObject({ code: 'seal_broken' });
});

test('hidden names differ by name and key', async () => {
  const [one, two] = await Promise.all([keys.newest(), new FixedMasterKeys(keyOf(2), '').newest()]);
  const names = [hiddenName(one, 'a'), hiddenName(one, 'a'), hiddenName(one, 'b'), hiddenName(two, 'a')];
  expect(new Set(names).size).toBe(3);
});
