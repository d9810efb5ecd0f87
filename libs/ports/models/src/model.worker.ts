/** The thread behind ModelThread. */
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { translateFileError } from '#platform/kernel';
import { serve, transferring } from '#platform/thread-calls';
import { type ModelFiles, openBareModel } from './bare-model.ts';
import type { ModelCalls } from './model-thread.ts';
import { basisOf } from './tokens/bases.ts';
import { maxSim, projectStates, type TokenBasis } from './tokens/token-basis.ts';
import { TokenCollector } from './tokens/token-rows.ts';

/** Of the questions whose tokens are kept: about a hundred short ones. */
const QUESTION_BYTES = 4 * 1024 * 1024;

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
function tokenBasis(): TokenBasis {
  if (files.tokenBasis === null) throw new Error('the model has no basis of tokens');
  basis ??= basisOf(files.tokenBasis);
  return basis;
}

/** States of the tokens of the last questions, whose vectors were made: a question is searched first, and compared then. */
const questions = new LRUCache<string, Float32Array>({
  maxSize: QUESTION_BYTES,
  sizeCalculation: ({ byteLength }) => byteLength,
});

async function embedQuestion(text: string): Promise<Float32Array> {
  const { vector, states } = await (await model).embedQuestion(text);
  questions.set(text, states);
  return vector;
}

/** @returns rows of short vectors */
async function questionTokens(text: string): Promise<Float32Array> {
  const shortBasis = tokenBasis();
  return projectStates(questions.get(text) ?? (await (await model).tokenStates('query', text)), shortBasis);
}

serve<ModelCalls>(parentPort!, {
  load: async () => (await model).dimensions,
  embed: (kind, texts) =>
    inTurn(async () => {
      const [only] = texts;
      const isQuestion = kind === 'query' && texts.length === 1 && files.tokenBasis !== null;
      const vectors = isQuestion ? await embedQuestion(only as string) : await (await model).embed(kind, texts);
      return transferring(vectors, [vectors.buffer as ArrayBuffer]);
    }),
  embedWindows: (windows) =>
    inTurn(async () => {
      const vectors = await (await model).embedWindows(windows);
      return transferring(vectors, [vectors.buffer as ArrayBuffer]);
    }),
  embedWithTokens: (windows) =>
    inTurn(async () => {
      const texts = windows.reduce((sum, window) => sum + window.length, 0);
      const collector = new TokenCollector(tokenBasis(), texts);
      const vectors = await (await model).embedWindows(windows, (text, states) => collector.add(text, states));
      const tokens = collector.joined();
      return transferring({ vectors, tokens }, [vectors.buffer as ArrayBuffer, tokens.rows.buffer]);
    }),
  questionTokens,
  compareTokens: async (question, passage) => {
    const shortBasis = tokenBasis();
    const rows = projectStates(await (await model).tokenStates('passage', passage), shortBasis);
    return maxSim(question, rows, shortBasis.dimensions);
  },
  unload: () => inTurn(async () => (await model).close()),
});
