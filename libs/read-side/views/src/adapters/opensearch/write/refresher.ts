import type { Aliases } from '../aliases.ts';
import { onEveryCopy } from '../broadcast.ts';
import type { Connection } from '../connection.ts';
import type { IndexName } from '../mappings.ts';

const REFRESH_TIMEOUT_MS = 60_000;

/** Refreshes indices, so that searches find the rows that were written. */
export class Refresher {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  /** Indices with rows that searches may not find yet. */
  readonly #unseen = new Set<IndexName>();
  #latest: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  /** Notes that rows of an index were written, or may have been. */
  wrote(name: IndexName): void {
    this.#unseen.add(name);
  }

  /** Resolves when searches find everything that had been written to the index before the call. */
  show(name: IndexName): Promise<void> {
    const turn = this.#latest.then(() => this.#refresh(name));
    this.#latest = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(name: IndexName): Promise<void> {
    if (!this.#unseen.delete(name)) return;
    try {
      await onEveryCopy(this.#connection, `/${this.#aliases.of(name)}/_refresh`, { timeout: REFRESH_TIMEOUT_MS });
    } catch (error) {
      this.#unseen.add(name);
      throw error;
    }
  }
}
