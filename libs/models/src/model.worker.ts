/** The thread behind ModelThread. */
import { parentPort, workerData } from 'node:worker_threads';
import { translateFileError } from '#kernel';
import { serve, transferring } from '#threads';
import { type ModelFiles, openBareModel, type TextKind } from './bare-model.ts';
import type { ModelCalls } from './model-thread.ts';
import { basisOf } from './tokens/bases.ts';
import { maxSim, projected, type TokenBasis } from './tokens/token-basis.ts';

const files = workerData as ModelFiles;
const model = openBareModel(files).catch((error) => {
  throw translateFileError(error);
});
// `load` reports the error; without this it would also be an unhandled rejection.
model.catch(() => {});

/** Calls run in sequence: if their texts alternated, the first call would be answered as late as the last. */
let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

let basis: TokenBasis | null = null;

/** @throws Error if tokens of this model are not compared */
async function tokensOf(kind: TextKind, text: string): Promise<{ rows: Float32Array; width: number }> {
  if (files.tokenBasis === null) throw new Error('the model has no basis of tokens');
  basis ??= basisOf(files.tokenBasis);
  return { rows: projected(await (await model).tokenStates(kind, text), basis), width: basis.dimensions };
}

serve<ModelCalls>(parentPort!, {
  load: async () => (await model).dimensions,
  embed: (kind, texts) =>
    inTurn(async () => {
      const vectors = await (await model).embed(kind, texts);
      return transferring(vectors, [vectors.buffer as ArrayBuffer]);
    }),
  embedWindows: (windows) =>
    inTurn(async () => {
      const vectors = await (await model).embedWindows(windows);
      return transferring(vectors, [vectors.buffer as ArrayBuffer]);
    }),
  questionTokens: async (text) => (await tokensOf('query', text)).rows,
  compareTokens: async (question, passage) => {
    const { rows, width } = await tokensOf('passage', passage);
    return maxSim(question, rows, width);
  },
  unload: () => inTurn(async () => (await model).close()),
});
