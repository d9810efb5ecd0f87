import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrossEncoder, findCrossEncoder } from './cross-encoder.ts';
import { writeMadeUpCrossEncoder } from './made-up-cross-encoder.fixture.ts';

/** For a busy machine: the process starts within it. Milliseconds. */
const LONG = 60_000;

let folder: string;
let model: CrossEncoder | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-cross-encoder-'));
});
afterEach(async () => {
  await model?.close();
  model = null;
  await rm(folder, { recursive: true });
});

async function open(): Promise<CrossEncoder> {
  const files = await findCrossEncoder(folder);
  if (files === null) throw new Error('there is no cross-encoder');
  model = new CrossEncoder(files);
  return model;
}

test(
  'reads question and passage together',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    const passages = ['A red kettle sings.', 'The blue walrus sings.', '', 'kettle '.repeat(4_000)];
    const compared = await (await open()).compare('Who sings, the walrus?', passages, LONG);
    expect(compared).toEqual({ scores: [-1, 3, -3, -3], error: null });
  },
  LONG,
);

test(
  'a long question leaves room for the passage',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    const { scores } = await (await open()).compare('walrus '.repeat(10_000), ['The walrus.'], LONG);
    expect(scores[0]).toBeGreaterThan(0);
  },
  LONG,
);

test(
  'passages for which there is no time have no score',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    expect(await (await open()).compare('walrus', ['a', 'b'], 0)).toEqual({ scores: [null, null], error: null });
  },
  LONG,
);

test(
  'a file that is no model is an error, and no score',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    await writeFile(join(folder, 'cross-encoder', 'model.onnx'), 'not a graph');
    const { scores, error } = await (await open()).compare('walrus', ['a'], LONG);
    expect([scores, error]).toEqual([[null], expect.any(Error)]);
  },
  LONG,
);

test('is not there without both files', async () => {
  expect(await findCrossEncoder(null)).toBeNull();
  expect(await findCrossEncoder(folder)).toBeNull();
  await writeMadeUpCrossEncoder(folder);
  await rm(join(folder, 'cross-encoder', 'tokenizer.json'));
  expect(await findCrossEncoder(folder)).toBeNull();
});
