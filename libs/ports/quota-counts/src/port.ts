/** A count of what was used. */
export interface QuotaCount {
  readonly value: CountValue;
  /** Of the record, for the next write. From 1. */
  readonly revision: number;
}

export type CountValue = Readonly<Record<string, unknown>>;

/** Counts that the processes of an installation share, apart from the log. A count that is lost begins again. */
export interface QuotaCounts {
  /** Whether other processes write them too. */
  readonly isShared: boolean;
  /** Returns null if there is no count. Rejects if they cannot be read. @param key letters, digits, `.`, `_` and `-` */
  read(key: string): Promise<QuotaCount | null>;
  /**
   * Writes a count that has not changed since it was read. Rejects if it cannot be written, or it is not known whether it was.
   * @param after revision of the count as it was read; 0: there was none
   * @returns the new revision, or null: it has changed
   */
  write(key: string, value: CountValue, after: number): Promise<number | null>;
}
