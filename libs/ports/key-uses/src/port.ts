/**
 * When keys were last used, to the minute. It stands apart from the log, because a request is no event, and losing it loses
 * nothing else.
 */
export interface KeyUses {
  /** Notes that a key is used now. What is noted is stored within a minute. */
  note(key: string): void;
  /**
   * Returns when keys were last used: milliseconds since the Unix epoch, at the beginning of a minute. Keys without a use are
   * absent; what other processes noted in the last minute may be missing. Never rejects: what cannot be read is missing.
   */
  last(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Stores what is noted. */
  close(): Promise<void>;
}

/** Where uses are stored. */
export interface UseStore {
  read(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  write(uses: ReadonlyMap<string, number>): Promise<void>;
}

export const KEY_USES = Symbol('KeyUses');
