import type { MessagePort } from 'node:worker_threads';
import { hasCode } from '#platform/kernel';
import type { NatsConnection } from '#platform/nats';
import { type BlobStore, DiskBlobStore } from '#ports/blobs';
import { type EventStore, readPages, SqliteStreamKeys, type StreamKeys } from '#ports/event-store';
import { dataFiles } from '../data-files.ts';
import type { EngineSettings } from '../settings.ts';
import { openKeptBlobs, openKeptKeys } from './kept-streams.ts';

/** Opens a folder of blobs: as its first user in the process, or as another one. */
type OpenFolder = (folder: string) => BlobStore | Promise<BlobStore>;

export const asFirst: OpenFolder = (folder) => DiskBlobStore.open(folder);
export const asFurther: OpenFolder = (folder) => DiskBlobStore.attach(folder);

/**
 * Files and long texts of documents. On NATS their stream is created while the log is empty, so before any event can refer
 * to it.
 * @throws NatsStreamMissingError
 */
export async function openBlobs(
  settings: EngineSettings,
  connection: NatsConnection | null,
  open: OpenFolder,
  log: Pick<EventStore, 'readAll'>,
): Promise<BlobStore> {
  if (connection === null) return open(dataFiles(settings.dataFolder).blobs);
  const onNats = (mayCreate: boolean) => openKeptBlobs(settings, connection, mayCreate);
  try {
    return await onNats(false);
  } catch (error) {
    if (!hasCode(error, 'nats_stream_missing') || !(await isEmpty(log))) throw error;
    return onNats(true);
  }
}

/** The keys of a sealed log. @param warn called when their thread was lost */
export async function openKeys(
  settings: EngineSettings,
  connection: NatsConnection | null,
  warn?: (message: string) => void,
): Promise<StreamKeys> {
  if (connection === null)
    return SqliteStreamKeys.open(dataFiles(settings.dataFolder).streamKeys, { ...(warn && { warn }) });
  return natsKeys(settings, connection);
}

/**
 * For another thread.
 * @param port to keys that are not on NATS
 */
export function attachKeys(
  settings: EngineSettings,
  connection: NatsConnection | null,
  port: MessagePort | null,
): StreamKeys {
  if (connection === null) return SqliteStreamKeys.attach(port as MessagePort);
  return natsKeys(settings, connection);
}

/** Opened when they are first used: a log that is new makes the stream before that. */
function natsKeys(settings: EngineSettings, connection: NatsConnection): StreamKeys {
  let opened: Promise<StreamKeys> | null = null;
  const keys = (mayCreate = false) => {
    const opening = opened ?? openKeptKeys(settings, connection, mayCreate);
    opened = opening;
    // The next call tries again.
    opening.catch(() => {
      if (opened === opening) opened = null;
    });
    return opening;
  };
  return {
    create: async () => void (await keys(true)),
    put: async (stream, id, key) => (await keys()).put(stream, id, key),
    get: async (stream, id) => (await keys()).get(stream, id),
    destroy: async (stream) => (await keys()).destroy(stream),
    isDestroyed: async (stream) => (await keys()).isDestroyed(stream),
    among: async (streams) => (await keys()).among(streams),
  };
}

async function isEmpty(log: Pick<EventStore, 'readAll'>): Promise<boolean> {
  for await (const { events } of readPages(log, { after: null, limit: 1, envelopesOnly: true })) {
    if (events.length > 0) return false;
  }
  return true;
}
