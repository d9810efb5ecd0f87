import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash } from '#platform/kernel';
import { encodeTokens, SqliteVectorStore } from '#ports/vector-store';
import { StoredTokens, type TokenStore } from './stored-tokens.ts';

const ROW = 64;
const WITHIN_MS = 60_000;
const key = (unit: string) => contentHash(unit);
/** A token of which one dimension counts. */
const token = (dimension: number): Int8Array => new Int8Array(ROW).fill(127, dimension, dimension + 1);
const rows = (...tokens: readonly Int8Array[]) =>
  encodeTokens({ kind: 'rows', rows: Int8Array.from(tokens.flatMap((one) => [...one])) });
const parts = (...units: readonly string[]) => encodeTokens({ kind: 'parts', keys: units.map(key) });
const QUESTION = Int8Array.from([...token(0), ...token(1)]);

let folder: string;
let vectors: SqliteVectorStore;
let opened: StoredTokens[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-tokens-'));
  vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
  opened = [];
});
afterEach(async () => {
  for (const one of opened) await one.close();
  await vectors.close();
  await rm(folder, { recursive: true });
});

describe.each<[string, () => TokenStore]>([
  ['in the data folder', () => ({ path: join(folder, 'vectors.db') })],
  ['in a cache elsewhere', () => ({ vectors })],
])('tokens %s', (_, storeOf) => {
  const compare = (units: readonly string[], withinMs = WITHIN_MS, question = QUESTION) => {
    const tokens = new StoredTokens(storeOf(), { warn: () => {} });
    opened.push(tokens);
    return tokens.compare(Promise.resolve(question), units.map(key), withinMs);
  };

  test('are compared in the order of the units', async () => {
    await vectors.put('a', [
      { key: key('half'), vector: rows(token(5), token(1)) },
      { key: key('whole'), vector: rows(token(1), token(0)) },
      { key: key('other'), vector: rows(token(9)) },
    ]);
    expect(await compare(['half', 'whole', 'missing', 'other', 'half'])).toEqual([0.5, 1, null, 0, 0.5]);
  });

  test('of a passage are those of the units that it consists of', async () => {
    await vectors.put('a', [
      { key: key('first'), vector: rows(token(0)) },
      { key: key('second'), vector: rows(token(1), token(7)) },
      { key: key('passage'), vector: parts('first', 'second') },
      { key: key('incomplete'), vector: parts('first', 'missing') },
    ]);
    expect(await compare(['passage', 'incomplete', 'first'])).toEqual([1, null, 0.5]);
  });

  test('are found as soon as they are stored, and no longer when they are released', async () => {
    expect(await compare(['late'])).toEqual([null]);
    await vectors.put('a', [{ key: key('late'), vector: rows(token(0)) }]);
    expect(await compare(['late'])).toEqual([0.5]);
    await vectors.release('a');
    expect(await compare(['late'])).toEqual([null]);
  });

  test('are not compared when the time is over', async () => {
    await vectors.put('a', [{ key: key('unit'), vector: rows(token(0)) }]);
    expect(await compare(['unit'], 0)).toEqual([null]);
  });
});

test('the tokens of a unit in a cache elsewhere are read once for several questions', async () => {
  await vectors.put('a', [{ key: key('unit'), vector: rows(token(0)) }]);
  const read: (readonly string[])[] = [];
  const get = (keys: readonly string[]) => {
    read.push(keys);
    return vectors.get(keys);
  };
  const tokens = new StoredTokens({ vectors: { get } }, { warn: () => {} });
  opened.push(tokens);
  const ask = (...units: readonly string[]) => tokens.compare(Promise.resolve(QUESTION), units.map(key), WITHIN_MS);
  expect(await ask('unit', 'missing')).toEqual([0.5, null]);
  expect(await ask('missing', 'unit')).toEqual([null, 0.5]);
  expect(read).toEqual([[key('unit'), key('missing')], [key('missing')]]);
});
