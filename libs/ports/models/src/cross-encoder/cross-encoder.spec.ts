import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { CrossEncoder, findCrossEncoder } from './cross-encoder.ts';
import { writeMadeUpCrossEncoder } from './made-up-cross-encoder.fixture.ts';

/** For a busy machine: the process starts within it. Milliseconds. */
const LONG = 60_000;
const IN_TIME = { withinMs: LONG, ended: () => {} };

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
    const compared = await (await open()).compare('Who sings, the walrus?', passages, IN_TIME);
    expect(compared).toEqual({ scores: [-1, 3, -3, -3], failed: false });
  },
  LONG,
);

test(
  'a long question leaves room for the passage',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    const { scores } = await (await open()).compare('walrus '.repeat(10_000), ['The walrus.'], IN_TIME);
    expect(scores[0]).toBeGreaterThan(0);
  },
  LONG,
);

test(
  'passages for which there is no time have no score',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    const options = { ...IN_TIME, withinMs: 0 };
    expect(await (await open()).compare('walrus', ['a', 'b'], options)).toEqual({
      scores: [null, null],
      failed: false,
    });
  },
  LONG,
);

test(
  'a file that is no model is an error, and no score',
  async () => {
    await writeMadeUpCrossEncoder(folder);
    await writeFile(join(folder, 'cross-encoder', 'model.onnx'), 'not a graph');
    const ended = jest.fn();
    const compared = await (await open()).compare('walrus', ['a'], { ...IN_TIME, ended });
    expect(compared).toEqual({ scores: [null], failed: true });
    expect(ended.mock.calls).toEqual([[expect.any(Error)]]);
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
