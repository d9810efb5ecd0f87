/** The thread behind ModelThread. */
import { parentPort, workerData } from 'node:worker_threads';
import { translateFileError } from '#kernel';
import { serve, transferring } from '#threads';
import { type ModelFiles, openBareModel } from './bare-model.ts';
import type { ModelCalls } from './model-thread.ts';

const model = openBareModel(workerData as ModelFiles).catch((error) => {
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
  unload: () => inTurn(async () => (await model).close()),
});
