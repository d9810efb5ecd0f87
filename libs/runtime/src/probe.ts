import { existsSync } from 'node:fs';
import { type EventStore, lockDataFolder, openEventStoreDb, SqliteEventStore } from '#event-store';
import { connectNats, type NatsConnection } from '#nats';
import { inspectOpenSearchViews, openOpenSearchReader, SqliteViewsReader, type ViewsReader } from '#views';
import { type DataFiles, dataFiles } from './data-files.ts';
import type { Parts } from './parts.ts';
import { type EngineSettings, keepsFolder } from './settings.ts';
import { asFirst, openKeys } from './storage/blobs.ts';
import { makeDataFolder } from './storage/data-folder.ts';

/** An engine that was opened, or the reason why it could not be. */
export type Probe<T> = { readonly opened: T } | { readonly away: Error };

/** The engines, each opened on its own: an unreachable one does not keep the others from being examined. */
export interface ProbedEngines {
  readonly settings: EngineSettings;
  readonly files: DataFiles;
  /** Null: not configured. */
  readonly nats: Probe<NatsConnection> | null;
  readonly store: Probe<EventStore>;
  readonly reader: Probe<ViewsReader>;
  close(): Promise<void>;
}

const PATIENCE_MS = 3_000;
/** For an engine that is connected but unresponsive. */
const SILENCE_MS = 8_000;

/** The engines of a process that has opened all of them; closing the probe does not close them. */
export const enginesOf = ({ storage, views }: Parts): ProbedEngines => ({
  settings: storage.settings,
  files: storage.files,
  nats: storage.nats && { opened: storage.nats },
  store: { opened: storage.store },
  reader: { opened: views.reader },
  close: async () => {},
});

/**
 * Opens every engine that can be opened. Writes only what an engine needs to exist.
 * @throws DataFolderUnusableError; DataFolderInUseError if another process works on the data folder
 */
export async function probeEngines(settings: EngineSettings): Promise<ProbedEngines> {
  const files = dataFiles(settings.dataFolder);
  await makeDataFolder(settings.dataFolder);
  const lock = keepsFolder(settings) ? lockDataFolder(settings.dataFolder) : null;
  const { natsUrl, prefix, openSearchUrl } = settings;
  const opening = probed(openSearchUrl === null ? openEmbeddedReader(files) : openDistantReader(openSearchUrl, prefix));
  const nats = natsUrl === null ? null : await probed(connectNats({ url: natsUrl, name: prefix }));
  const store = await probeStore(settings, nats, lock);
  const reader = await opening;
  return {
    ...{ settings, files, nats, store, reader },
    close: async () => {
      for (const one of [reader, store, nats]) if (one !== null && 'opened' in one) await one.opened.close();
      lock?.release();
    },
  };
}

async function probeStore(
  settings: EngineSettings,
  nats: Probe<NatsConnection> | null,
  folderLock: ReturnType<typeof lockDataFolder> | null,
): Promise<Probe<EventStore>> {
  const { eventStoreUrl: url, dataFolder } = settings;
  if (url === null) {
    return probed(SqliteEventStore.open({ path: dataFiles(dataFolder).events, ...(folderLock && { folderLock }) }));
  }
  if (nats !== null && 'away' in nats) return { away: new Error(`its keys are on NATS. ${nats.away.message}`) };
  const signal = AbortSignal.timeout(SILENCE_MS);
  const open = async () => {
    const keys = await openKeys(settings, nats?.opened ?? null, asFirst);
    return openEventStoreDb({ url, keys, patience: PATIENCE_MS, signal });
  };
  return probed(open());
}

async function openEmbeddedReader({ views }: DataFiles): Promise<ViewsReader> {
  if (!existsSync(views)) throw new Error(`${views} is not there`);
  return SqliteViewsReader.open({ path: views, cacheBytes: 0 });
}

/** Asks first: a reader can be opened while OpenSearch is unreachable. */
async function openDistantReader(url: string, prefix: string): Promise<ViewsReader> {
  await inspectOpenSearchViews({ url, prefix });
  return openOpenSearchReader({ url, prefix });
}

async function probed<T>(opening: Promise<T>): Promise<Probe<T>> {
  try {
    return { opened: await opening };
  } catch (error) {
    return { away: error as Error };
  }
}
