import { inspectTokens } from '#composition/runtime';
import { DEFAULT_GROUP, servingSpace } from '#features/vector-spaces';
import { findCrossEncoder, findModel } from '#ports/models';
import { type Check, type DoctorContext, type Finding, logOf, mebibytes, ok, warning } from './check.ts';

const BY_CROSS_ENCODER = 'by the cross-encoder in MNEME_MODELS';
const BY_TOKENS = 'by the tokens of the model';

export const reranking: Check = {
  name: 'reranking',
  about: 'Compares the best passages with the question a second time, for searches with `rerank`.',
  async run(context) {
    const { config, server } = context;
    const hasCrossEncoder = (await findCrossEncoder(config.modelsFolder)) !== null;
    if (server === null) return withoutServer(context, hasCrossEncoder);
    const method = server.reranker.method();
    if (method === 'cross-encoder') return ok(BY_CROSS_ENCODER);
    const detail =
      method === 'maxsim'
        ? `${BY_TOKENS}, ${await storedTokens(context)}`
        : 'without effect: no model that compares tokens is ready';
    if (!hasCrossEncoder) return ok(detail);
    const advice =
      'The cross-encoder in MNEME_MODELS is not used: within the last minutes it failed several times or was too slow to compare a single passage (the log says which), or it was added after the start. Install a smaller one, or restart the server when it is complete.';
    return warning(detail, advice);
  },
};

/** What a server would use. Whether the model is installed is a check of its own. */
async function withoutServer(context: DoctorContext, hasCrossEncoder: boolean): Promise<Finding> {
  if (hasCrossEncoder) return ok(`no server runs; ${BY_CROSS_ENCODER} when one does`);
  if (context.config.embedding === 'off') return ok('without effect: embedding is switched off');
  const space = await servingSpace(logOf(context), DEFAULT_GROUP);
  const comparesTokens = (findModel(space)?.tokenBasis ?? null) !== null;
  return ok(
    comparesTokens
      ? `no server runs; ${BY_TOKENS} when one does, ${await storedTokens(context)}`
      : `without effect: tokens are not compared in ${space}, and MNEME_MODELS has no cross-encoder`,
  );
}

/** Whether tokens are stored (`MNEME_RERANK`), and how far those of the documents that were there before are. */
async function storedTokens(context: DoctorContext): Promise<string> {
  const { config, engines } = context;
  const { filling, bytes } = await inspectTokens(engines, await servingSpace(logOf(context), DEFAULT_GROUP));
  const size = `vectors and tokens take ${mebibytes(bytes)}`;
  if (config.rerank === 'off') {
    return filling.state === 'none' ? 'which are not stored' : `which are being removed from the disk; ${size}`;
  }
  switch (filling.state) {
    case 'complete':
      return `which are stored; ${size}`;
    case 'begun':
      return `which are being stored: ${filling.documents} documents are done; ${size}`;
    case 'none':
      return `which are to be stored; ${size}`;
  }
}
