import type { EngineSettings } from '../settings.ts';

/** Streams on NATS whose content nothing else has. They are never created in place of one that is missing. */
export interface KeptStreams {
  readonly blobs: string;
  readonly keys: string;
}

export const keptStreams = ({ prefix }: Pick<EngineSettings, 'prefix'>): KeptStreams => ({
  blobs: `${prefix}-blobs`,
  keys: `${prefix}-keys`,
});

/** Those that the settings use. */
export const keptStreamsOf = (
  settings: Pick<EngineSettings, 'prefix' | 'natsUrl' | 'eventStoreUrl'>,
): readonly string[] => {
  if (settings.natsUrl === null) return [];
  const { blobs, keys } = keptStreams(settings);
  return settings.eventStoreUrl === null ? [blobs] : [blobs, keys];
};
