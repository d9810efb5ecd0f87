import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { blobStreamKeys, type EventStore, lockDataFolder, openEventStoreDb, SqliteEventStore } from '#event-store';
import { connectNats, type NatsConnection } from '#nats';
import { inspectOpenSearchViews, openOpenSearchReader, SqliteViewsReader, type ViewsReader } from '#views';
import { type DataFiles, dataFiles } from './data-files.ts';
import type { Parts } from './parts.ts';
import { type EngineSettings, keepsFolder } from './settings.ts';
import { asFirst, openKeyBlobs } from './storage/blobs.ts';

/** An engine that was opened, or why it could not be. */
export type Reached<T> = { readonly opened: T } | { readonly away: Error };

/** The engines, each for itself: that one cannot be reached is no reason not to look at the others. */
export interface ReachedEngines {
  readonly settings: EngineSettings;
  readonly files: DataFiles;
  /** Null: none is set. */
  readonly nats: Reached<NatsConnection> | null;
  readonly store: Reached<EventStore>;
  readonly reader: Reached<ViewsReader>;
  close(): Promise<void>;
}

const PATIENCE_MS = 3_000;
/** For an engine that takes the connection and then says nothing. */
const SILENCE_MS = 8_000;

/** Those of a process that has opened all of them; they stay its own. */
export const enginesOf = ({ storage, views }: Parts): ReachedEngines => ({
  settings: storage.settings,
  files: storage.files,
  nats: storage.nats && { opened: storage.nats },
  store: { opened: storage.store },
  reader: { opened: views.reader },
  close: async () => {},
});

/**
 * Opens what can be opened. Nothing is written, but what an engine needs to be there at all.
 * @throws DataFolderInUseError when another process works on the data folder
 */
export async function reachEngines(settings: EngineSettings): Promise<ReachedEngines> {
  const files = dataFiles(settings.dataFolder);
  await mkdir(settings.dataFolder, { recursive: true, mode: 0o700 });
  const lock = keepsFolder(settings) ? lockDataFolder(settings.dataFolder) : null;
  const { natsUrl, prefix, openSearchUrl } = settings;
  const opening = reached(
    openSearchUrl === null ? openEmbeddedReader(files) : openDistantReader(openSearchUrl, prefix),
  );
  const nats = natsUrl === null ? null : await reached(connectNats({ url: natsUrl, name: prefix }));
  const store = await reachStore(settings, nats, lock);
  const reader = await opening;
  return {
    ...{ settings, files, nats, store, reader },
    close: async () => {
      for (const one of [reader, store, nats]) if (one !== null && 'opened' in one) await one.opened.close();
      lock?.release();
    },
  };
}

async function reachStore(
  settings: EngineSettings,
  nats: Reached<NatsConnection> | null,
  folderLock: ReturnType<typeof lockDataFolder> | null,
): Promise<Reached<EventStore>> {
  const { eventStoreUrl: url, dataFolder } = settings;
  if (url === null) {
    return reached(SqliteEventStore.open({ path: dataFiles(dataFolder).events, ...(folderLock && { folderLock }) }));
  }
  if (nats !== null && 'away' in nats) return { away: new Error(`its keys stand on NATS. ${nats.away.message}`) };
  const signal = AbortSignal.timeout(SILENCE_MS);
  const open = async () => {
    const keys = blobStreamKeys(await openKeyBlobs(settings, nats?.opened ?? null, asFirst));
    return openEventStoreDb({ url, keys, patience: PATIENCE_MS, signal });
  };
  return reached(open());
}

async function openEmbeddedReader({ views }: DataFiles): Promise<ViewsReader> {
  if (!existsSync(views)) throw new Error(`${views} is not there`);
  return SqliteViewsReader.open({ path: views, cacheBytes: 0 });
}

/** A reader can be opened while OpenSearch is away; one that cannot be asked is of no use here. */
async function openDistantReader(url: string, prefix: string): Promise<ViewsReader> {
  await inspectOpenSearchViews({ url, prefix });
  return openOpenSearchReader({ url, prefix });
}

async function reached<T>(opening: Promise<T>): Promise<Reached<T>> {
  try {
    return { opened: await opening };
  } catch (error) {
    return { away: error as Error };
  }
}
