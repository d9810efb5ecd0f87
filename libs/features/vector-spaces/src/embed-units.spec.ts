import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Live } from '#features/documents';
import { tokenKey } from '#features/vector-spaces/model';
import type { EmbeddedText, Window } from '#ports/models';
import { decodeTokens, SqliteVectorStore } from '#ports/vector-store';
import type { Unit } from '#read-side/views';
import { embedUnits, keepVectors, type PassageSpace } from './embed-units.ts';
import { DEFAULT_GROUP } from './groups.ts';

const SPACE = DEFAULT_GROUP.initialSpace;
const DOCUMENT = { organization: 'org', id: 'doc', unitsDate: null, contentVersion: 1, memory: null } as Live;

/** Each text has as many tokens as words. All of them say how often something was embedded. */
class Model implements PassageSpace {
  readonly name = SPACE;
  readonly windows: Window[] = [];
  stores = true;

  get embedder(): PassageSpace['embedder'] {
    const vector = Float32Array.of(1, 0);
    const embed = (texts: Window): EmbeddedText[] => {
      this.windows.push(texts);
      return texts.map((text) => ({ vector, tokens: this.#tokensOf(text) }));
    };
    return {
      embedPassages: async (texts) => texts.map(() => vector),
      embedWindows: async (windows) => windows.map((texts) => embed(texts).map((one) => one.vector)),
      storedTokens: this.stores
        ? { embedWindows: async (windows) => windows.map(embed), questionTokens: async () => new Int8Array() }
        : undefined,
    };
  }

  #tokensOf(text: string): Int8Array {
    return new Int8Array(64 * text.split(' ').length).fill(this.windows.length);
  }
}

let folder: string;
let vectors: SqliteVectorStore;
let model: Model;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-units-'));
  vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
  model = new Model();
});
afterEach(async () => {
  await vectors.close();
  await rm(folder, { recursive: true });
});

const unit = (kind: Unit['kind'], ordinal: number, text: string, id = `${kind} ${text}`): Unit => ({
  ...{ id, kind, ordinal, text },
  speaker: null,
});
/** One chunk for each group of memories. */
const unitsOf = (...groups: readonly (readonly string[])[]): Unit[] => [
  ...groups.map((texts, i) => unit('chunk', i, texts.join('\n'))),
  ...groups.flat().map((text, i) => unit('memory', i, text)),
];
const embed = (units: readonly Unit[]) => embedUnits(vectors, DOCUMENT, units, model, async () => true);
const keep = (units: readonly Unit[], keepsTokens = true) =>
  keepVectors(vectors, DOCUMENT, units, [SPACE], { keepsTokens });
const tokensOf = async (id: string) => {
  const [bytes] = await vectors.get([tokenKey(SPACE, 'org', id)]);
  return bytes ? decodeTokens(bytes) : null;
};
const rows = (words: number, times: number) => ({ kind: 'rows', rows: new Int8Array(64 * words).fill(times) });

test('stores the tokens of memories, from the pass that makes their vectors, and where those of a chunk are', async () => {
  await embed(unitsOf(['The kettle is blue.', 'It is in the cupboard.']));
  expect(model.windows).toHaveLength(1);
  expect(await tokensOf('memory The kettle is blue.')).toEqual(rows(4, 1));
  expect(await tokensOf('memory It is in the cupboard.')).toEqual(rows(5, 1));
  const keys = ['The kettle is blue.', 'It is in the cupboard.'].map((text) =>
    tokenKey(SPACE, 'org', `memory ${text}`),
  );
  expect(await tokensOf('chunk The kettle is blue.\nIt is in the cupboard.')).toEqual({ kind: 'parts', keys });
});

test('stores the tokens of chunks that have no memories', async () => {
  await embed([unit('chunk', 0, 'Only a chunk.')]);
  expect(await tokensOf('chunk Only a chunk.')).toEqual(rows(3, 1));
});

test('stores the tokens of each of several units with the same text', async () => {
  await embed([unit('memory', 0, 'Yes.', 'first'), unit('memory', 1, 'Yes.', 'second')]);
  expect(await tokensOf('first')).toEqual(rows(1, 1));
  expect(await tokensOf('second')).toEqual(rows(1, 1));
});

test('stores the tokens of units in windows that occur twice', async () => {
  const long = Array.from({ length: 40 }, (_, i) => `Sentence number ${i} takes its place in a window.`);
  const units = [...long, ...long].map((text, i) => unit('memory', i, text, `${i}`));
  await embed(units);
  for (const { id } of units) expect(await tokensOf(id)).not.toBeNull();
});

test('stores no tokens if the model makes none, and adds them when it does', async () => {
  model.stores = false;
  const units = unitsOf(['The kettle is blue.']);
  await embed(units);
  expect(await tokensOf('memory The kettle is blue.')).toBeNull();
  model.stores = true;
  expect(await embed(units)).toBe(0);
  expect(await tokensOf('memory The kettle is blue.')).toEqual(rows(4, 2));
  await embed(units);
  expect(model.windows).toHaveLength(2);
});

test('replaces the tokens of a unit whose window has changed', async () => {
  await embed(unitsOf(['The kettle is blue.']));
  await embed(unitsOf(['The kettle is blue.', 'The cup is red.']));
  expect(await tokensOf('memory The kettle is blue.')).toEqual(rows(4, 2));
});

test('keeps the tokens of the present units only, and none when they are not stored any more', async () => {
  await embed(unitsOf(['The kettle is blue.'], ['The cup is red.']));
  const present = unitsOf(['The cup is red.']);
  await keep(present);
  expect(await tokensOf('memory The kettle is blue.')).toBeNull();
  expect(await tokensOf('chunk The kettle is blue.')).toBeNull();
  expect(await tokensOf('memory The cup is red.')).not.toBeNull();
  expect(await tokensOf('chunk The cup is red.')).not.toBeNull();
  await keep(present, false);
  expect(await tokensOf('memory The cup is red.')).toBeNull();
  expect(await tokensOf('chunk The cup is red.')).toBeNull();
});
