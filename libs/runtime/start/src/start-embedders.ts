import type { Config } from '#config';
import type { Embedder, ModelLogger } from '#models';
import type { Parts } from '#runtime';
import { type Metrics, timed } from '#telemetry';
import { openEmbedders, openModel, type SpaceEmbedders } from '#vector-spaces';

/** Begins to load the models of the process, and returns before they are ready. Their calls are timed if metrics are on. */
export function startEmbedders(
  config: Config,
  { spaces, views }: Parts,
  logger: ModelLogger,
  metrics: Metrics | null,
): Promise<SpaceEmbedders> {
  const start = (space: string) => withTimes(openModel(config, space, logger), metrics);
  return openEmbedders(config, { spaces, views: views.reader }, start);
}

function withTimes(embedder: Embedder, metrics: Metrics | null): Embedder {
  if (metrics === null) return embedder;
  return timed(embedder, {
    embedQuestion: (seconds) => metrics.embedded('question', seconds),
    embedPassages: (seconds) => metrics.embedded('passages', seconds),
    embedWindows: (seconds) => metrics.embedded('passages', seconds),
  });
}
