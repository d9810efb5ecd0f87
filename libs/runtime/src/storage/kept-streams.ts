import { type BlobStore, openNatsBlobs } from '#blobs';
import type { NatsConnection } from '#nats';
import { type EngineSettings, layoutOf } from '../settings.ts';

/** What on NATS nothing else has. Its streams are never created in place of ones that are missing. */
export type Kept = 'blobs' | 'keys';

export const keptStream = ({ prefix }: Pick<EngineSettings, 'prefix'>, kept: Kept): string => `${prefix}-${kept}`;

/** What the settings keep on NATS. */
export const keptOnNats = ({ natsUrl, eventStoreUrl }: Pick<EngineSettings, 'natsUrl' | 'eventStoreUrl'>): Kept[] => {
  if (natsUrl === null) return [];
  return eventStoreUrl === null ? ['blobs'] : ['blobs', 'keys'];
};

/** The names of the streams that hold it. */
export const keptStreamsOf = (
  settings: Pick<EngineSettings, 'natsUrl' | 'eventStoreUrl' | 'prefix'>,
): readonly string[] => keptOnNats(settings).map((kept) => keptStream(settings, kept));

/** @throws NatsStreamMissingError if the stream does not exist and must not be created */
export const openKept = (
  settings: EngineSettings,
  connection: NatsConnection,
  kept: Kept,
  mayCreate: boolean,
): Promise<BlobStore> =>
  openNatsBlobs({
    connection,
    bucket: keptStream(settings, kept),
    mayCreate,
    // Former versions in the same cluster cannot read sealed keys, which every event of a new document needs.
    seals: kept === 'blobs',
    ...layoutOf(settings, kept),
  });
