import type { Config } from '#config';

/** The settings that choose the engines. */
export type EngineSettings = Pick<
  Config,
  'dataFolder' | 'cacheBytes' | 'eventStoreUrl' | 'natsUrl' | 'openSearchUrl' | 'prefix'
>;

/** Whether any engine keeps its data in the data folder, which is then this process's alone. */
export const keepsFolder = ({ eventStoreUrl, natsUrl, openSearchUrl }: EngineSettings): boolean =>
  eventStoreUrl === null || natsUrl === null || openSearchUrl === null;
