import type { NatsConnection } from '#platform/nats';
import { type BlobStore, openNatsBlobs } from '#ports/blobs';
import { NatsStreamKeys, type StreamKeys } from '#ports/event-store';
import { type EngineSettings, layoutOf } from '../settings.ts';

/** Kinds of data that only NATS holds. Their streams are never created in place of missing ones. */
export type KeptKind = 'blobs' | 'keys';

export const keptStream = ({ prefix }: Pick<EngineSettings, 'prefix'>, kept: KeptKind): string => `${prefix}-${kept}`;

/** What the settings keep on NATS. */
export const keptOnNats = ({
  natsUrl,
  eventStoreUrl,
}: Pick<EngineSettings, 'natsUrl' | 'eventStoreUrl'>): KeptKind[] => {
  if (natsUrl === null) return [];
  return eventStoreUrl === null ? ['blobs'] : ['blobs', 'keys'];
};

/** The names of the streams that hold it. */
export const keptStreamsOf = (
  settings: Pick<EngineSettings, 'natsUrl' | 'eventStoreUrl' | 'prefix'>,
): readonly string[] => keptOnNats(settings).map((kept) => keptStream(settings, kept));

/** @throws NatsStreamMissingError if the stream does not exist and must not be created */
export const openKeptBlobs = (
  settings: EngineSettings,
  connection: NatsConnection,
  mayCreate: boolean,
): Promise<BlobStore> => openNatsBlobs(optionsOf(settings, connection, 'blobs', mayCreate));

/** @throws NatsStreamMissingError if the stream does not exist and must not be created */
export const openKeptKeys = (
  settings: EngineSettings,
  connection: NatsConnection,
  mayCreate: boolean,
): Promise<StreamKeys> => NatsStreamKeys.open(optionsOf(settings, connection, 'keys', mayCreate));

const optionsOf = (settings: EngineSettings, connection: NatsConnection, kept: KeptKind, mayCreate: boolean) => ({
  connection,
  bucket: keptStream(settings, kept),
  mayCreate,
  ...layoutOf(settings, kept),
});
