export { DiskBlobStore } from './adapters/disk/disk-blob-store.ts';
export { BlobStorageFullError, type BlobStore, InvalidBlobKeyError } from './port.ts';
