import { type BlobStore, DiskBlobStore, openNatsBlobs } from '#blobs';
import type { NatsConnection } from '#nats';
import { dataFiles } from '../data-files.ts';
import type { EngineSettings } from '../settings.ts';

/** Opens a folder of blobs: as its first user in the process, or as another one. */
type OpenFolder = (folder: string) => BlobStore | Promise<BlobStore>;

export const asFirst: OpenFolder = (folder) => DiskBlobStore.open(folder);
export const asFurther: OpenFolder = (folder) => DiskBlobStore.attach(folder);

/** Files and long texts of documents. */
export async function openBlobs(
  settings: EngineSettings,
  connection: NatsConnection | null,
  open: OpenFolder,
): Promise<BlobStore> {
  if (connection === null) return open(dataFiles(settings.dataFolder).blobs);
  return openNatsBlobs({ connection, bucket: `${settings.prefix}-blobs` });
}

/** The keys of a sealed log. They are apart from the blobs of documents, where the sweep removes folders without a document. */
export async function openKeyBlobs(
  settings: EngineSettings,
  connection: NatsConnection | null,
  open: OpenFolder,
): Promise<BlobStore> {
  if (connection === null) return open(dataFiles(settings.dataFolder).streamKeys);
  return openNatsBlobs({ connection, bucket: `${settings.prefix}-keys` });
}
