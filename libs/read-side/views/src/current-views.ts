import type { EventFilter, EventStore, Position, RecordedEvent } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from './port.ts';
import { viewsWait } from './views-wait.ts';

/** How long a read waits for the views to show what was written before it. Milliseconds. */
const OWN_WRITES_MS = 5_000;
/** The same after a read that waited in vain, for example on a full disk or while missing views are built. */
const STUCK_MS = 1_000;
const PAGE = 1_000;
/** Events of the log that are read at most in place of the views; during a rebuild these may lack all of it. */
const MAX_REST = 20_000;

/** Views that show everything that was written before they were asked. */
export class CurrentViews {
  readonly #reader: ViewsReader;
  readonly #progress: ViewsProgress;
  readonly #store: Pick<EventStore, 'head' | 'knownHead' | 'readAll'>;
  #stuck = false;

  constructor(reader: ViewsReader, progress: ViewsProgress, store: Pick<EventStore, 'head' | 'knownHead' | 'readAll'>) {
    this.#reader = reader;
    this.#progress = progress;
    this.#store = store;
  }

  /** Resolves when the views have caught up, or after the time for which a read waits. */
  async read(): Promise<ViewsReader> {
    await this.#reach(await this.#store.head());
    return this.#reader;
  }

  /** As `read`; while the log cannot be reached, the views have caught up when they show what this process knows of it. */
  async readWithoutLog(): Promise<ViewsReader> {
    await this.#reach(await this.#store.knownHead());
    return this.#reader;
  }

  /** As `read`. `rest`: the first events that the views may not show, oldest first; none if they have caught up. */
  async readWithRest(filter: EventFilter): Promise<{
    readonly views: ViewsReader;
    readonly rest: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>;
  }> {
    if (await this.#reach(await this.#store.head())) return { views: this.#reader, rest: [] };
    return { views: this.#reader, rest: this.#eventsAfter(await this.#reader.checkpoint(), filter) };
  }

  async #reach(head: Position | null): Promise<boolean> {
    const reached = await this.#progress.reached(head, viewsWait(this.#stuck ? STUCK_MS : OWN_WRITES_MS));
    this.#stuck = !reached;
    return reached;
  }

  async *#eventsAfter(position: Position | null, filter: EventFilter): AsyncGenerator<RecordedEvent, void> {
    let after = position;
    let left = MAX_REST;
    for (let end = false; !end && left > 0; ) {
      const slice = await this.#store.readAll({ after, limit: Math.min(PAGE, left), filter });
      yield* slice.events;
      left -= slice.events.length;
      after = slice.position;
      end = slice.end;
    }
  }
}
