import { existsSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { mnemeError } from '#platform/kernel';
import { connectNats, type NatsConnection } from '#platform/nats';
import { type BlobStore, DiskBlobStore } from '#ports/blobs';
import {
  type EventStore,
  lockDataFolder,
  openEventStoreDb,
  SqliteEventStore,
  SqliteStreamKeys,
  type StreamKeys,
} from '#ports/event-store';
import { SqliteVectorStore, type VectorStore } from '#ports/vector-store';
import { type DataFiles, dataFiles } from '../data-files.ts';
import { type EngineSettings, keepsFolder } from '../settings.ts';
import { asFirst, openBlobs, openKeys } from './blobs.ts';
import { makeDataFolder } from './data-folder.ts';
import { keepPrivate } from './private-folder.ts';
import { openVectors } from './vectors.ts';

/** The log, the blobs and the vectors: everything that does not follow from the log. */
export interface Storage {
  readonly settings: EngineSettings;
  readonly files: DataFiles;
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  /** Of a sealed log; null: the log keeps its payloads itself. */
  readonly streamKeys: StreamKeys | null;
  /** Null: no NATS. Bus, leases and the public feed share it. */
  readonly nats: NatsConnection | null;
  /** The engines in the data folder, whose files can be copied; null: one of them is elsewhere. */
  readonly embedded: EmbeddedStorage | null;
  /** For `attachStorage` in another thread. */
  newPorts(): Promise<StoragePorts>;
  close(): Promise<void>;
}

/** Ports to what a thread of this process owns. Put those that are not null in the transfer list of their message. */
export interface StoragePorts {
  /** Null: another thread opens the log by its setting. */
  readonly log: MessagePort | null;
  /** To the keys of a sealed log. Null: they are on NATS, or there are none. */
  readonly keys: MessagePort | null;
  /** To the subscription of a distributed log. Null: the log is embedded. */
  readonly feed: MessagePort | null;
}

export interface EmbeddedStorage {
  readonly log: SqliteEventStore;
  readonly blobs: DiskBlobStore;
  readonly vectors: SqliteVectorStore;
}

/** The data folder holds a part of a backup. */
class RestoreInterruptedError extends mnemeError('permanent', 'restore_interrupted') {}

/** The data folder holds what belongs to an event log, and the log is not there. */
class EventLogMissingError extends mnemeError('permanent', 'event_log_missing') {}

/**
 * Opens the engines that the settings choose, each on its own. The drivers of distributed ones are loaded only for them.
 * @param warn called if other users could read the data folder, and when the thread of the vectors or of the stream keys was
 *   lost
 * @throws DataFolderUnusableError; DataFolderInUseError if another process works on the data folder and an engine keeps its
 *   data there; RestoreInterruptedError; EventLogMissingError; the error of an engine that cannot be reached, without credentials
 */
export async function openStorage(settings: EngineSettings, warn: (message: string) => void): Promise<Storage> {
  const files = dataFiles(settings.dataFolder);
  await makeDataFolder(settings.dataFolder);
  await keepPrivate(settings.dataFolder, warn);
  const opened = new AsyncDisposableStack();
  try {
    const parts = await open(settings, files, opened, warn);
    return { settings, files, ...parts, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function open(
  settings: EngineSettings,
  files: DataFiles,
  opened: AsyncDisposableStack,
  warn: (message: string) => void,
) {
  const { dataFolder, natsUrl, eventStoreUrl, prefix } = settings;
  const folderLock = keepsFolder(settings) ? opened.adopt(lockDataFolder(dataFolder), (lock) => lock.release()) : null;
  if (existsSync(files.restoring)) {
    throw new RestoreInterruptedError(`The restore into ${dataFolder} did not end. Run mneme restore again.`);
  }
  if (eventStoreUrl === null) await assertLogNotLost(files);
  const nats =
    natsUrl === null ? null : opened.adopt(await connectNats({ url: natsUrl, name: prefix }), (one) => one.close());

  const openEmbedded = () => SqliteEventStore.open({ path: files.events, ...(folderLock && { folderLock }) });
  const streamKeys =
    eventStoreUrl === null ? null : opened.adopt(await openKeys(settings, nats, warn), (keys) => keys.close?.());
  const openShared = (url: string, keys: StreamKeys) => openEventStoreDb({ url, keys });
  const log = eventStoreUrl === null ? await openEmbedded() : null;
  const shared = log === null ? await openShared(eventStoreUrl as string, streamKeys as StreamKeys) : null;
  const store = opened.adopt<EventStore>(log ?? (shared as EventStore), (one) => one.close());

  const blobs = await openBlobs(settings, nats, asFirst, store);
  const vectors = opened.adopt(await openVectors(settings, nats, warn), (one) => one.close());
  const newPorts = async () => ({
    log: log === null ? null : await log.newClientPort(),
    keys: streamKeys instanceof SqliteStreamKeys ? streamKeys.newClientPort() : null,
    feed: shared?.newFeedPort() ?? null,
  });
  const isEmbedded = log !== null && blobs instanceof DiskBlobStore && vectors instanceof SqliteVectorStore;
  const embedded = isEmbedded ? { log, blobs, vectors } : null;
  return { store, blobs, vectors, streamKeys, nats, newPorts, embedded };
}

/** A new log is begun only in a folder that holds no blobs and no views of another one. @throws EventLogMissingError */
async function assertLogNotLost({ events, blobs, views }: DataFiles): Promise<void> {
  if (existsSync(events)) return;
  const left = [...((await hasBlobs(blobs)) ? [blobs] : []), ...(existsSync(views) ? [views] : [])];
  if (left.length === 0) return;
  throw new EventLogMissingError(
    `The event log ${events} is missing, to which ${left.join(' and ')} belong. Restore it from a backup, or move what is ` +
      'left away to begin with an empty log.',
  );
}

async function hasBlobs(folder: string): Promise<boolean> {
  for await (const _ of DiskBlobStore.attach(folder).listFolders()) return true;
  return false;
}
