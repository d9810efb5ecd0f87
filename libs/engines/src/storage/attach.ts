import type { MessagePort } from 'node:worker_threads';
import { type BlobStore, DiskBlobStore } from '#blobs';
import { type EventStore, SqliteEventStore } from '#event-store';
import type { VectorSource } from '#projections';
import { openVectorReader } from '#vector-cache';
import { dataFiles } from '../data-files.ts';
import type { EngineSettings } from '../settings.ts';

/**
 * What a further thread of the process needs of the storage that the process has opened: the embedded engines are
 * attached to, the others get connections of their own.
 */
export function attachEventStore(_settings: EngineSettings, port: MessagePort | null): Promise<EventStore> {
  if (port === null) throw new Error('an embedded log is reached through a port');
  return SqliteEventStore.attach(port);
}

export async function attachBlobs({ dataFolder }: EngineSettings): Promise<BlobStore> {
  return DiskBlobStore.attach(dataFiles(dataFolder).blobs);
}

export async function attachVectors({ dataFolder }: EngineSettings): Promise<VectorSource> {
  return openVectorReader(dataFiles(dataFolder).vectors);
}
