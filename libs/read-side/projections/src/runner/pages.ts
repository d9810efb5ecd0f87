import type { EventFilter, EventStore, Position, RecordedEvent } from '#ports/event-store';

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
}

export interface PagesOptions {
  readonly store: Pick<EventStore, 'readAll' | 'compare'>;
  readonly after: Position | null;
  readonly until: Position;
  readonly filter: EventFilter;
  /** Events in a page at the most. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Reads the envelopes of the log up to a position; each page is requested when the one before it is handed out. */
export async function* pagesUntil(options: PagesOptions): AsyncGenerator<LogPage, undefined> {
  const { store, after: start, until, filter, limit, signal } = options;
  const isBehind = (position: Position | null) => position === null || store.compare(position, until) < 0;
  const read = (after: Position | null) => {
    if (signal.aborted || !isBehind(after)) return null;
    const page = store.readAll({ after, limit, filter, envelopesOnly: true });
    // It is awaited later; a rejection before that must not count as unhandled.
    page.catch(() => undefined);
    return page;
  };
  for (let page = read(start); page !== null; ) {
    const { events, position } = await page;
    page = read(position);
    // A page may reach further than `until`; what lies there was filtered, and is read again afterwards.
    yield { events, position: position !== null && isBehind(position) ? position : until };
  }
}
