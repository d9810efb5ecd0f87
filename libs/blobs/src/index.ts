import type { BlobStore, NatsBlobOptions } from './port.ts';

export { DiskBlobStore } from './adapters/disk/disk-blob-store.ts';
export {
  BLOB_STORE,
  BlobInterruptedError,
  BlobStorageFullError,
  type BlobStore,
  InvalidBlobKeyError,
  type NatsBlobOptions,
} from './port.ts';

/**
 * Opens blobs on a JetStream stream, made where it is not there. The driver is loaded by the first call; the connection
 * stays the caller's.
 */
export async function openNatsBlobs(options: NatsBlobOptions): Promise<BlobStore> {
  const { NatsBlobStore } = await import('./adapters/nats/nats-blob-store.ts');
  return NatsBlobStore.open(options);
}
