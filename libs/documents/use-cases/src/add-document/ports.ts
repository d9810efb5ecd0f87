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

export const BACKLOG = Symbol('Backlog');
export const STORAGE_GUARD = Symbol('StorageGuard');
