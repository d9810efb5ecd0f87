import { mkdir } from 'node:fs/promises';
import type { MessagePort } from 'node:worker_threads';
import { type BlobStore, DiskBlobStore } from '#blobs';
import { type DataFolderLock, type EventStore, lockDataFolder, SqliteEventStore } from '#event-store';
import { SqliteVectorCache, type VectorCache } from '#vector-cache';
import { type DataFiles, dataFiles } from '../data-files.ts';
import { type EngineSettings, keepsFolder } from '../settings.ts';

/** The log, and what stands beside it: all that cannot be made again. */
export interface Storage {
  readonly settings: EngineSettings;
  readonly files: DataFiles;
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorCache;
  /** For `attachEventStore` in another thread; null: that thread opens the log by its setting. */
  newStorePort(): Promise<MessagePort | null>;
  close(): Promise<void>;
}

/** What was opened, to be closed in reverse. */
class Opened {
  readonly #closing: (() => unknown)[] = [];

  add<T>(part: T, close: (part: T) => unknown): T {
    this.#closing.push(() => close(part));
    return part;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }
}

/**
 * Opens the engines that the settings choose, each on its own.
 * @throws DataFolderInUseError when another process works on the data folder and an engine keeps its data there
 */
export async function openStorage(settings: EngineSettings): Promise<Storage> {
  const files = dataFiles(settings.dataFolder);
  // What people remember is nobody else's business on a shared machine.
  await mkdir(settings.dataFolder, { recursive: true, mode: 0o700 });
  const opened = new Opened();
  try {
    const folderLock = keepsFolder(settings)
      ? opened.add(lockDataFolder(settings.dataFolder), (one) => one.release())
      : null;
    const { store, newStorePort } = await openEventStore(files, folderLock, opened);
    const blobs = await DiskBlobStore.open(files.blobs);
    const vectors = opened.add(await SqliteVectorCache.open(files.vectors), (cache) => cache.close());
    return { settings, files, store, blobs, vectors, newStorePort, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openEventStore(
  { events: path }: DataFiles,
  folderLock: DataFolderLock | null,
  opened: Opened,
): Promise<Pick<Storage, 'store' | 'newStorePort'>> {
  const options = { path, ...(folderLock && { folderLock }) };
  const store = opened.add(await SqliteEventStore.open(options), (one) => one.close());
  return { store, newStorePort: () => store.newClientPort() };
}
