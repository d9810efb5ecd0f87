import type { Parts } from '#composition/runtime';
import { openEmbedders, openModel, type SpaceEmbedders } from '#features/vector-spaces';
import type { Config } from '#platform/config';
import { type Metrics, timed } from '#platform/telemetry';
import type { Embedder, ModelLogger } from '#ports/models';

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
  const ofPassages = (seconds: number) => metrics.embedded('passages', seconds);
  const timedEmbedder = timed(embedder, {
    embedQuestion: (seconds) => metrics.embedded('question', seconds),
    embedPassages: ofPassages,
    embedWindows: ofPassages,
  });
  if (embedder.storedTokens === undefined) return timedEmbedder;
  const storedTokens = timed(embedder.storedTokens, { embedWindows: ofPassages });
  return new Proxy(timedEmbedder, {
    get: (target, key) => (key === 'storedTokens' ? storedTokens : Reflect.get(target, key)),
  });
}
