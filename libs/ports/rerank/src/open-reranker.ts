import type { Config } from '#platform/config';
import { CrossEncoder, findCrossEncoder } from '#ports/models';
import { CrossEncoderReranker } from './adapters/cross-encoder/cross-encoder-reranker.ts';
import { MaxSimReranker, type TokenModels } from './adapters/max-sim/max-sim-reranker.ts';
import { StoredTokens, type TokenStore } from './adapters/max-sim/stored/stored-tokens.ts';
import { FirstReranker } from './first-reranker.ts';
import type { Reranker } from './port.ts';

/**
 * Compares by the cross-encoder of the folder of models if there is one, else by the tokens of the embedding model.
 * @param sources.models of the spaces that are searched
 * @param sources.store where the tokens of passages are, if they are stored
 */
export async function openReranker(
  { modelsFolder, rerank }: Pick<Config, 'modelsFolder' | 'rerank'>,
  sources: { readonly models: TokenModels; readonly store: TokenStore },
  logger: { warn(message: string): void },
): Promise<Reranker> {
  const stored = new StoredTokens(sources.store, logger);
  if (rerank === 'on') stored.begin();
  const byTokens = new MaxSimReranker(sources.models, stored, logger);
  const files = await findCrossEncoder(modelsFolder);
  if (files === null) return byTokens;
  return new FirstReranker([new CrossEncoderReranker(new CrossEncoder(files), logger), byTokens]);
}
