import type { MessagePort } from 'node:worker_threads';
import type { VectorSource } from '#features/vector-spaces/model';
import { connectNats } from '#platform/nats';
import type { BlobStore } from '#ports/blobs';
import { type EventStore, openEventStoreDb, SqliteEventStore } from '#ports/event-store';
import type { EngineSettings } from '../settings.ts';
import { asFurther, attachKeys, openBlobs } from './blobs.ts';
import type { StoragePorts } from './open-storage.ts';
import { attachVectors } from './vectors.ts';

/** Storage as another thread reads it. It ends with the thread. */
export interface AttachedStorage {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorSource;
}

/**
 * Opens what another thread of the process needs of the storage: it attaches to embedded engines and gets connections of
 * its own to the others.
 */
export async function attachStorage(settings: EngineSettings, ports: StoragePorts): Promise<AttachedStorage> {
  const { natsUrl, eventStoreUrl } = settings;
  const connection =
    natsUrl === null ? null : await connectNats({ url: natsUrl, name: `${settings.prefix} projection` });
  const store =
    eventStoreUrl === null
      ? await SqliteEventStore.attach(ports.log as MessagePort)
      : await openEventStoreDb({
          url: eventStoreUrl,
          keys: attachKeys(settings, connection, ports.keys),
          ...(ports.feed && { feed: ports.feed }),
        });
  return {
    store,
    blobs: await openBlobs(settings, connection, asFurther, store),
    vectors: await attachVectors(settings, connection),
  };
}
