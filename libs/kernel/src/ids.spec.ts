import { contentHash, contentHashOf, derivedId, newId } from './ids.ts';

/** Every byte, quotes and line ends included, in pieces of `size`. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

describe('contentHashOf', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
  const text = Buffer.from(bytes).toString('latin1');

  it.each([1, 7, 256, 5000])('equals contentHash for bytes in pieces of %i', async (size) => {
    expect(await contentHashOf([inPieces(bytes, size)])).toBe(contentHash(text));
    expect(await contentHashOf(['a "key"', inPieces(bytes, size), 'é\ud800'])).toBe(
      contentHash('a "key"', text, 'é\ud800'),
    );
  });

  it('equals contentHash for no bytes', async () => {
    expect(await contentHashOf([inPieces(new Uint8Array(), 1), ''])).toBe(contentHash('', ''));
  });
});

test('derived ids follow from an id and are distinct ids of the same time', () => {
  const id = newId();
  const derived = Array.from({ length: 1000 }, (_, i) => derivedId(id, i));
  expect(derived).toEqual(Array.from({ length: 1000 }, (_, i) => derivedId(id, i)));
  expect(new Set([id, ...derived]).size).toBe(1001);
  for (const one of derived) expect(one).toMatch(new RegExp(`^${id.slice(0, 7)}[A-Za-z0-9]{15}$`));
  expect(derivedId(newId(), 0)).not.toBe(derived[0]);
});
