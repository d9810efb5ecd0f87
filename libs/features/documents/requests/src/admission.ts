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

/** Decides whether requests that write are carried out now. */
export class Admission {
  readonly #backlog: Backlog;
  readonly #storage: StorageGuard;

  constructor(backlog: Backlog, storage: StorageGuard) {
    this.#backlog = backlog;
    this.#storage = storage;
  }

  /**
   * Returns why a request is refused for a while, or null.
   * @param documents that it adds
   * @throws as `assertWritable`
   */
  refusal(documents?: number): 'backlog_full' | null {
    if (this.#backlog.full(documents)) return 'backlog_full';
    this.assertWritable();
    return null;
  }

  /** For a request that adds nothing. @throws as `StorageGuard.assertWritable` */
  assertWritable(): void {
    this.#storage.assertWritable();
  }
}
