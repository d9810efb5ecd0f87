/** How much waits to be processed. */
export interface Backlog {
  /** Whether so much waits that another document, or another `adding` documents, are refused for a while. */
  full(adding?: number): boolean;
}

/** Knows whether the stores can take another document. */
export interface StorageGuard {
  /** @throws StorageFullError if what is left is reserved for deletions; a transient error if a store is missing */
  assertWritable(): void;
}

/**
 * Whether a request is refused for a while because so much waits already.
 * @param documents that it adds
 * @throws as `StorageGuard.assertWritable`
 */
export function isFull(backlog: Backlog, storage: StorageGuard, documents?: number): boolean {
  if (backlog.full(documents)) return true;
  storage.assertWritable();
  return false;
}

export const BACKLOG = Symbol('Backlog');
export const STORAGE_GUARD = Symbol('StorageGuard');
