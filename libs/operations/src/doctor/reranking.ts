import { findCrossEncoder } from '#models';
import { type Check, ok } from './check.ts';

const NAME = 'reranking';

export const reranking: Check = {
  name: NAME,
  about: 'Compares the best passages with the question a second time, for searches with `rerank`.',
  async run({ config, server }) {
    const hasCrossEncoder = (await findCrossEncoder(config.modelsFolder)) !== null;
    if (server === null)
      return ok(NAME, hasCrossEncoder ? 'by the cross-encoder in MNEME_MODELS' : 'by the tokens of the model');
    const method = server.reranker.method();
    if (method === 'cross-encoder') return ok(NAME, 'by the cross-encoder in MNEME_MODELS');
    const detail =
      method === 'maxsim' ? 'by the tokens of the model' : 'without effect: no model that compares tokens is ready';
    if (!hasCrossEncoder) return ok(NAME, detail);
    const advice =
      'The cross-encoder in MNEME_MODELS is not used: it failed a few minutes ago (the log says why), or was added after the start. Restart the server when it is complete.';
    return { name: NAME, state: 'warning', detail, advice };
  },
};
