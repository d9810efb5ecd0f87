import { existsSync } from 'node:fs';
import { systemClock } from '#platform/kernel';
import { connectNats, type NatsConnection } from '#platform/nats';
import type { MasterKeys } from '#platform/sealing';
import { type BlobStore, DiskBlobStore } from '#ports/blobs';
import {
  type EventStore,
  lockDataFolder,
  openEventStoreDb,
  SqliteEventStore,
  type StreamKeys,
} from '#ports/event-store';
import type { Secrets } from '#ports/secrets';
import { inspectOpenSearchViews, openOpenSearchReader, SqliteViewsReader, type ViewsReader } from '#read-side/views';
import { type DataFiles, dataFiles } from './data-files.ts';
import type { Parts } from './parts.ts';
import { masterKeysOf, secretsOf } from './secrets.ts';
import { type EngineSettings, keepsFolder } from './settings.ts';
import { openKeys } from './storage/blobs.ts';
import { makeDataFolder } from './storage/data-folder.ts';
import { openKeptBlobs } from './storage/kept-streams.ts';

/** An engine that was opened, or the reason why it could not be. */
export type Probe<T> = { readonly opened: T } | { readonly away: Error };

/** The engines, each opened on its own: an unreachable one does not keep the others from being examined. */
export interface ProbedEngines {
  readonly settings: EngineSettings;
  readonly files: DataFiles;
  /** Null: not configured. */
  readonly nats: Probe<NatsConnection> | null;
  readonly store: Probe<EventStore>;
  readonly blobs: Probe<BlobStore>;
  readonly reader: Probe<ViewsReader>;
  readonly secrets: Probe<Secrets>;
  readonly masterKeys: MasterKeys;
  close(): Promise<void>;
}

const PATIENCE_MS = 3_000;
/** For an engine that is connected but unresponsive. */
const SILENCE_MS = 8_000;

/** The engines of a process that has opened all of them; closing the probe does not close them. */
export const enginesOf = ({ storage, views, secrets, masterKeys }: Parts): ProbedEngines => ({
  settings: storage.settings,
  files: storage.files,
  nats: storage.nats && { opened: storage.nats },
  store: { opened: storage.store },
  blobs: { opened: storage.blobs },
  reader: { opened: views.reader },
  secrets: { opened: secrets },
  masterKeys,
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
  const keys = await probeKeys(settings, nats);
  const store = await probeStore(settings, keys, lock);
  const blobs = await probeBlobs(settings, nats);
  const reader = await opening;
  const masterKeys = masterKeysOf(settings);
  const secrets = probeSecrets(settings, nats, masterKeys);
  return {
    ...{ settings, files, nats, store, blobs, reader, secrets, masterKeys },
    close: async () => {
      for (const one of [reader, secrets, store, keys, nats])
        if (one !== null && 'opened' in one) await one.opened.close?.();
      lock?.release();
    },
  };
}

function probeSecrets(
  settings: EngineSettings,
  nats: Probe<NatsConnection> | null,
  masterKeys: MasterKeys,
): Probe<Secrets> {
  if (nats !== null && 'away' in nats) return nats;
  return { opened: secretsOf({ settings, nats: nats?.opened ?? null }, masterKeys, systemClock) };
}

/** Null: the log needs no keys. */
async function probeKeys(
  settings: EngineSettings,
  nats: Probe<NatsConnection> | null,
): Promise<Probe<StreamKeys> | null> {
  if (settings.eventStoreUrl === null) return null;
  if (nats !== null && 'away' in nats) return { away: new Error(`its keys are on NATS. ${nats.away.message}`) };
  return probed(openKeys(settings, nats?.opened ?? null));
}

async function probeStore(
  settings: EngineSettings,
  keys: Probe<StreamKeys> | null,
  folderLock: ReturnType<typeof lockDataFolder> | null,
): Promise<Probe<EventStore>> {
  const { eventStoreUrl: url, dataFolder } = settings;
  if (url === null || keys === null) {
    return probed(SqliteEventStore.open({ path: dataFiles(dataFolder).events, ...(folderLock && { folderLock }) }));
  }
  if ('away' in keys) return keys;
  const signal = AbortSignal.timeout(SILENCE_MS);
  return probed(openEventStoreDb({ url, keys: keys.opened, patience: PATIENCE_MS, signal }));
}

async function probeBlobs(settings: EngineSettings, nats: Probe<NatsConnection> | null): Promise<Probe<BlobStore>> {
  if (nats === null) return { opened: DiskBlobStore.attach(dataFiles(settings.dataFolder).blobs) };
  return 'away' in nats ? nats : probed(openKeptBlobs(settings, nats.opened, false));
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
