import type { BlobStore, NatsBlobOptions } from './port.ts';

export { DiskBlobStore } from './adapters/disk/disk-blob-store.ts';
export {
  BLOB_STORE,
  BlobStorageFullError,
  type BlobStore,
  type NatsBlobOptions,
} from './port.ts';

/**
 * Opens blobs on a JetStream stream, and creates the stream if needed. The first call loads the driver. The caller owns the
 * connection.
 */
export async function openNatsBlobs(options: NatsBlobOptions): Promise<BlobStore> {
  const { NatsBlobStore } = await import('./adapters/nats/nats-blob-store.ts');
  return NatsBlobStore.open(options);
}
