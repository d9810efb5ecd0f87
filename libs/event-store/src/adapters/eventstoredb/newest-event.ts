import type { Connection } from './connection.ts';
import { LogEntry } from './log-entry.ts';
import { newestOfAllRequest } from './requests.ts';

/** Events in a read from the end of the log: usually the last one is an own event, or is known already. */
const FIRST_PAGE = 2;
const PAGE = 64;

/**
 * The position of the newest own event. Behind it are events of the server, e.g. statistics, many after an idle time: what
 * was seen of them is remembered, so they are not read again.
 */
export class NewestEvent {
  readonly #connection: Connection;
  /** `upTo`: position up to which the log was seen. `own`: position of the newest own event before it; null: none. */
  #seen: { readonly upTo: number; readonly own: number | null } | null = null;
  #noticedFrom: number | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Position of the newest own event that was seen. Null: none. */
  get known(): number | null {
    return this.#seen?.own ?? null;
  }

  /** Every entry behind this position will be noticed. Null: entries may be missed until the next call. */
  follow(from: number | null): void {
    this.#noticedFrom = from;
  }

  /** @param position of an own event that this client has appended */
  appended(position: number): void {
    this.#see(position, position);
  }

  notice({ position, isOwn }: LogEntry): void {
    if (isOwn) this.#see(position, position);
    // Otherwise the newest own event is the known one only if every entry since then was noticed.
    else if (this.#seen && this.#noticedFrom !== null && this.#seen.upTo >= this.#noticedFrom) {
      this.#see(position, this.#seen.own);
    }
  }

  /** Asks the server; null: there is no own event. */
  async read(): Promise<number | null> {
    let upTo: number | null = null;
    let before: number | null = null;
    for (let size = FIRST_PAGE; ; size = PAGE) {
      const page = (await this.#connection.read(newestOfAllRequest(before, size))) ?? [];
      for (const message of page) {
        const entry = LogEntry.of(message);
        upTo ??= entry.position;
        if (entry.isOwn) return this.#see(upTo, entry.position);
        if (this.#seen && entry.position <= this.#seen.upTo) return this.#see(upTo, this.#seen.own);
        before = entry.position;
      }
      if (page.length < size) return upTo === null ? null : this.#see(upTo, null);
    }
  }

  #see(upTo: number, own: number | null): number | null {
    if (!this.#seen || upTo > this.#seen.upTo) this.#seen = { upTo, own };
    return own;
  }
}
