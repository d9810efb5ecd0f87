import type { MessagePort } from 'node:worker_threads';
import type { BlobStore } from '#blobs';
import { type EventStore, openEventStoreDb, SqliteEventStore } from '#event-store';
import { connectNats } from '#nats';
import type { VectorSource } from '#vector-spaces/model';
import type { EngineSettings } from '../settings.ts';
import { asFurther, openBlobs, openKeys } from './blobs.ts';
import { attachVectors } from './vectors.ts';

/** What another thread reads. It ends with the thread. */
export interface Attached {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorSource;
}

/**
 * Opens what another thread of the process needs of the storage: it attaches to embedded engines and gets connections of
 * its own to the others.
 * @param port to the embedded log; null: the log is another one
 */
export async function attachStorage(settings: EngineSettings, port: MessagePort | null): Promise<Attached> {
  const { natsUrl, eventStoreUrl } = settings;
  const connection =
    natsUrl === null ? null : await connectNats({ url: natsUrl, name: `${settings.prefix} projection` });
  const keys = () => openKeys(settings, connection, asFurther);
  const store =
    eventStoreUrl === null
      ? await SqliteEventStore.attach(port as MessagePort)
      : await openEventStoreDb({ url: eventStoreUrl, keys: await keys() });
  return {
    store,
    blobs: await openBlobs(settings, connection, asFurther, store),
    vectors: await attachVectors(settings, connection),
  };
}
