import type { BlobStore, NatsBlobOptions } from './port.ts';

export { DiskBlobStore } from './adapters/disk/disk-blob-store.ts';
export {
  BLOB_STORE,
  BlobStorageFullError,
  type BlobStore,
  type NatsBlobOptions,
} from './port.ts';

/**
 * Opens blobs on a JetStream stream. The first call loads the driver. The caller owns the connection. Calls reject with
 * NatsStreamMissingError, which is transient, while the stream is missing.
 * @throws NatsStreamMissingError if the stream does not exist and must not be created
 */
export async function openNatsBlobs(options: NatsBlobOptions): Promise<BlobStore> {
  const { NatsBlobStore } = await import('./adapters/nats/nats-blob-store.ts');
  return NatsBlobStore.open(options);
}
