import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { contentHash } from '#platform/kernel';
import type { QuantizedVector, VectorStore } from './port.ts';

const key = (text: string) => contentHash('space', 'organization', text);
const vector = (...bytes: number[]): QuantizedVector => Uint8Array.from(bytes);
const entry = (text: string, ...bytes: number[]) => ({ key: key(text), vector: vector(...bytes) });

/** Copies to arrays of this realm, because Jest compares constructors too. */
const plain = (vectors: readonly (QuantizedVector | null)[]) => vectors.map((one) => one && [...one]);

/** Contract of the vector store port. Each call of `open` opens the same data again. */
export function vectorStoreContract(open: () => Promise<VectorStore>): void {
  let cache: VectorStore;
  const reopen = async () => {
    await cache.close();
    cache = await open();
  };
  const stored = async (...texts: string[]) => plain(await cache.get(texts.map(key)));

  beforeEach(async () => {
    cache = await open();
  });
  afterEach(() => cache.close());

  it('get() returns vectors in the order of the keys, null for unknown keys', async () => {
    await cache.put('a', [entry('one', 1), entry('two', 2)]);
    expect(await stored('two', 'three', 'one', 'two')).toEqual([[2], null, [1], [2]]);
    expect(await cache.get([])).toHaveLength(0);
  });

  it('put() replaces a vector, also that of another owner', async () => {
    await cache.put('a', [entry('one', 1), entry('two', 2)]);
    await cache.put('a', [entry('one', 3, 4)]);
    await cache.put('b', [entry('two', 5)]);
    expect(await stored('one', 'two')).toEqual([[3, 4], [5]]);
    await reopen();
    expect(await stored('one', 'two')).toEqual([[3, 4], [5]]);
    await cache.release('a');
    expect(await stored('one', 'two')).toEqual([null, [5]]);
    await cache.release('b');
    expect(await stored('one', 'two')).toEqual([null, null]);
  });

  it('keeps vectors over a restart', async () => {
    await cache.put('a', [entry('one', 1, 2, 3)]);
    await reopen();
    expect(await stored('one')).toEqual([[1, 2, 3]]);
  });

  it('release() removes vectors that no other owner uses', async () => {
    await cache.put('a', [entry('one', 1)]);
    await cache.release('a');
    expect(await stored('one')).toEqual([null]);
    expect(await cache.claim('b', [key('one')])).toEqual([key('one')]);
  });

  it('keeps a vector while any owner uses it', async () => {
    await cache.put('a', [entry('shared', 1)]);
    await cache.put('b', [entry('shared', 1)]);
    await cache.release('a');
    expect(await stored('shared')).toEqual([[1]]);
    await cache.release('b');
    expect(await stored('shared')).toEqual([null]);
  });

  it('claim() records the use of stored keys and returns the others', async () => {
    await cache.put('a', [entry('one', 1)]);
    expect(await cache.claim('b', [key('one'), key('two')])).toEqual([key('two')]);
    await cache.release('a');
    expect(await stored('one', 'two')).toEqual([[1], null]);
  });

  it('release() keeps the excepted keys', async () => {
    await cache.put('a', [entry('one', 1), entry('two', 2)]);
    await cache.release('a', [key('two'), key('unknown')]);
    expect(await stored('one', 'two')).toEqual([null, [2]]);
    await cache.release('a');
    expect(await stored('two')).toEqual([null]);
  });

  it('release() leaves what it drops to an heir', async () => {
    await cache.put('a', [entry('one', 1), entry('two', 2)]);
    await cache.release('a', [key('two')], 'heir');
    await cache.release('a', [], 'heir');
    expect(await stored('one', 'two')).toEqual([[1], [2]]);
    await reopen();
    await cache.release('a');
    expect(await stored('one', 'two')).toEqual([[1], [2]]);
    await cache.put('b', [entry('one', 1)]);
    await cache.release('heir');
    expect(await stored('one', 'two')).toEqual([[1], null]);
  });

  it('ownersAmong() yields the owners that use vectors, after a restart too', async () => {
    const among = async (...owners: string[]) => {
      const found: string[] = [];
      for await (const owner of cache.ownersAmong(new Set(owners))) found.push(owner);
      return found.sort();
    };
    const mine = Array.from({ length: 3 }, () => randomBytes(8).toString('hex')).sort();
    const [first = '', second = '', third = ''] = mine;
    for (const owner of mine) await cache.put(owner, [entry('shared', 1), entry(owner, 2)]);
    expect(await among(first, second, 'unknown')).toEqual([first, second]);
    await cache.release(second);
    await reopen();
    expect(await among(...mine)).toEqual([first, third]);
    for (const owner of mine) await cache.release(owner);
    await reopen();
    expect(await among(...mine)).toEqual([]);
  });

  it('release() accepts an unknown owner', async () => {
    await expect(cache.release('unknown')).resolves.toBeUndefined();
  });

  it('put() rejects a key that is not a hash, and stores nothing of that call', async () => {
    await expect(cache.put('a', [entry('one', 1), { key: 'short', vector: vector(2) }])).rejects.toThrow(TypeError);
    expect(await stored('one')).toEqual([null]);
  });

  it('executes concurrent calls independently', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `text ${i}`);
    await Promise.all(texts.map((text, i) => cache.put(`owner ${i % 5}`, [entry(text, i)])));
    await Promise.all([cache.release('owner 0'), cache.release('owner 1')]);
    expect(await stored(...texts)).toEqual(texts.map((_, i) => (i % 5 < 2 ? null : [i])));
  });

  it('equals a model: a map of owners to keys', async () => {
    const owners = fc.constantFrom('a', 'b', 'c');
    const all = ['1', '2', '3', '4', '5', '6'];
    const texts = fc.uniqueArray(fc.constantFrom(...all), { maxLength: 4 });
    const step = fc.record({ act: fc.constantFrom('put', 'claim', 'release'), owner: owners, texts });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        // Each run uses separate keys.
        const run = randomBytes(8).toString('hex');
        const name = (text: string) => run + text;
        const uses = new Map<string, Set<string>>();
        const used = (text: string) => [...uses.values()].some((mine) => mine.has(text));
        for (const { act, owner, texts } of steps) {
          const mine = uses.get(owner) ?? uses.set(owner, new Set()).get(owner)!;
          if (act === 'put') {
            await cache.put(
              run + owner,
              texts.map((text) => entry(name(text), Number(text))),
            );
            for (const text of texts) mine.add(text);
          } else if (act === 'claim') {
            const missing = texts.filter((text) => !used(text));
            expect(await cache.claim(run + owner, texts.map(name).map(key))).toEqual(missing.map(name).map(key));
            for (const text of texts) if (used(text)) mine.add(text);
          } else {
            await cache.release(run + owner, texts.map(name).map(key));
            for (const text of mine) if (!texts.includes(text)) mine.delete(text);
          }
          expect(await stored(...all.map(name))).toEqual(all.map((text) => (used(text) ? [Number(text)] : null)));
        }
      }),
      { numRuns: 30 },
    );
  });
}
