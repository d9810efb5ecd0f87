import type { Config } from '#platform/config';
import type { StreamLayout } from '#platform/nats';

/** The settings that choose the engines. */
export type EngineSettings = Pick<
  Config,
  'dataFolder' | 'cacheBytes' | 'eventStoreUrl' | 'natsUrl' | 'openSearchUrl' | 'prefix'
> &
  Partial<NatsLayout & IndexLayout & KeySettings>;

/** Where the master key is. Default: in the data folder. */
export type KeySettings = Pick<Config, 'masterKey' | 'masterKeyFile'>;

/** How streams on NATS are configured. Default: as the server does. */
type NatsLayout = Pick<Config, 'natsReplicas' | 'natsLimits' | 'natsPlacement'>;

export function layoutOf(
  { natsReplicas = null, natsLimits = {}, natsPlacement = null }: Partial<NatsLayout>,
  stream: keyof Config['natsLimits'],
): StreamLayout {
  const maxBytes = natsLimits[stream];
  return {
    ...(natsReplicas !== null && { replicas: natsReplicas }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(natsPlacement !== null && { placement: natsPlacement }),
  };
}

/** Default: one shard without replicas. */
type IndexLayout = Pick<Config, 'openSearchShards' | 'openSearchReplicas'>;

/** Shards and replicas of the views in OpenSearch. */
export const indexLayout = ({ openSearchShards = 1, openSearchReplicas = 0 }: Partial<IndexLayout>) => ({
  shards: openSearchShards,
  replicas: openSearchReplicas,
});

/** Whether any engine keeps its data in the data folder, which is then this process's alone. */
export const keepsFolder = ({ eventStoreUrl, natsUrl, openSearchUrl }: EngineSettings): boolean =>
  eventStoreUrl === null || natsUrl === null || openSearchUrl === null;
