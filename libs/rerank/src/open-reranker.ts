import { CrossEncoder, findCrossEncoder } from '#models';
import { CrossEncoderReranker } from './adapters/cross-encoder/cross-encoder-reranker.ts';
import { MaxSimReranker, type TokenModels } from './adapters/max-sim/max-sim-reranker.ts';
import { FirstReranker } from './first-reranker.ts';
import type { Reranker } from './port.ts';

/**
 * Compares by the cross-encoder of the folder of models if there is one, else by the tokens of the embedding model.
 * @param models of the spaces that are searched
 */
export async function openReranker(
  modelsFolder: string | null,
  models: TokenModels,
  logger: { warn(message: string): void },
): Promise<Reranker> {
  const byTokens = new MaxSimReranker(models, logger);
  const files = await findCrossEncoder(modelsFolder);
  if (files === null) return byTokens;
  return new FirstReranker([new CrossEncoderReranker(new CrossEncoder(files), logger), byTokens]);
}
