import type { EventRef } from '../../positions.ts';
import type { Connection } from './connection.ts';
import { LogEntry } from './log-entry.ts';
import { newestOfAllRequest } from './requests.ts';

/** Events in a read from the end of the log: usually the last one is an own event, or is known already. */
const FIRST_PAGE = 2;
const PAGE = 64;

/**
 * The newest own event. Behind it are events of the server, e.g. statistics, many after an idle time: what
 * was seen of them is remembered, so they are not read again.
 */
export class NewestEvent {
  readonly #connection: Connection;
  /** `upTo`: position up to which the log was seen. `own`: the newest own event before it; null: none. */
  #seen: { readonly upTo: number; readonly own: EventRef | null } | null = null;
  #noticedFrom: number | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The newest own event that was seen. Null: none. */
  get known(): EventRef | null {
    return this.#seen?.own ?? null;
  }

  /** Every entry behind this position will be noticed. Null: entries may be missed until the next call. */
  follow(from: number | null): void {
    this.#noticedFrom = from;
  }

  /** @param event an own event that this client has appended */
  appended(event: EventRef): void {
    this.#see(event.position, event);
  }

  notice({ position, id, isOwn }: LogEntry): void {
    if (isOwn) this.#see(position, { position, id });
    // Otherwise the newest own event is the known one only if every entry since then was noticed.
    else if (this.#seen && this.#noticedFrom !== null && this.#seen.upTo >= this.#noticedFrom) {
      this.#see(position, this.#seen.own);
    }
  }

  /** Asks the server; null: there is no own event. */
  async read(): Promise<EventRef | null> {
    let upTo: number | null = null;
    let before: number | null = null;
    for (let size = FIRST_PAGE; ; size = PAGE) {
      const page = (await this.#connection.read(newestOfAllRequest(before, size))) ?? [];
      for (const message of page) {
        const entry = LogEntry.of(message);
        upTo ??= entry.position;
        if (entry.isOwn) return this.#see(upTo, { position: entry.position, id: entry.id });
        if (this.#seen && entry.position <= this.#seen.upTo) return this.#see(upTo, this.#seen.own);
        before = entry.position;
      }
      if (page.length < size) return upTo === null ? null : this.#see(upTo, null);
    }
  }

  #see(upTo: number, own: EventRef | null): EventRef | null {
    if (!this.#seen || upTo > this.#seen.upTo) this.#seen = { upTo, own };
    return own;
  }
}
