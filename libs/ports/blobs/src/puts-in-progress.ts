/** A put that runs. */
export interface RunningPut {
  /** Its key was deleted after it began: what it stores has to go too. */
  readonly isDeleted: boolean;
  end(): void;
}

/** The puts that run in this process, so that a deletion covers those that end after it. */
export class PutsInProgress {
  readonly #puts = new Set<{ readonly key: string; isDeleted: boolean }>();

  begin(key: string): RunningPut {
    const put = { key, isDeleted: false, end: () => void this.#puts.delete(put) };
    this.#puts.add(put);
    return put;
  }

  /** Call it before the stored blobs are removed. @param name a key, or a prefix that ends in `/` */
  delete(name: string): void {
    for (const put of this.#puts) {
      if (put.key === name || (name.endsWith('/') && put.key.startsWith(name))) put.isDeleted = true;
    }
  }
}
