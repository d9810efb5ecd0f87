import { createFoldCache, type RecordedEvent } from '#ports/event-store';
import type { RowsChange } from '#read-side/views';
import type { ModelProjector, Projected, ProjectionSources, StreamEvents } from './read-model.ts';
import { readable } from './readable.ts';
import type { StateModelOptions } from './row-model-options.ts';

/** The events of a stream as far as they were folded. */
interface FoldedStream<State> {
  readonly state: State;
  /** Of the last event, whether it was handled or not. */
  readonly revision: number;
  /** The last event that was handled. */
  readonly last: RecordedEvent | null;
}

/** Characters of states as JSON that are kept, because more events of their streams are likely to come soon. */
const FOLDED_CHARACTERS = 1_000_000;

/** Projects the rows of a read model that follows from final states. */
export class StateRows<State> implements ModelProjector {
  readonly #options: StateModelOptions<State>;
  readonly #types: ReadonlySet<string>;
  readonly #store: ProjectionSources['store'];
  readonly #folds = createFoldCache<FoldedStream<State>>({ characters: FOLDED_CHARACTERS });

  constructor(options: StateModelOptions<State>, { store }: Pick<ProjectionSources, 'store'>) {
    this.#options = options;
    this.#types = new Set(options.types);
    this.#store = store;
  }

  async changesOf(streams: readonly StreamEvents[]): Promise<Projected> {
    const changes: RowsChange[] = [];
    for (const { stream, events } of streams) {
      const kept = this.#folds.get(stream);
      const isHandled = events.some(({ envelope }) => this.#types.has(envelope.type));
      if (!isHandled && kept === undefined) continue;
      const folded = this.#fold(await this.#before(stream, events[0] as RecordedEvent), events);
      this.#folds.set(stream, folded);
      if (isHandled) changes.push(this.#changeOf(stream, folded));
    }
    return { changes, incomplete: [] };
  }

  async latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected> {
    const changes: RowsChange[] = [];
    for (const { stream, events } of await Promise.all(streams)) {
      if (!events.some(({ envelope }) => this.#types.has(envelope.type))) continue;
      changes.push(this.#changeOf(stream, this.#fold(this.#nothing, events)));
    }
    return { changes, incomplete: [] };
  }

  get #nothing(): FoldedStream<State> {
    return { state: this.#options.initialState, revision: -1, last: null };
  }

  /** The fold of all events before one. */
  async #before(stream: string, { revision }: RecordedEvent): Promise<FoldedStream<State>> {
    if (revision === 0) return this.#nothing;
    const kept = this.#folds.get(stream);
    if (kept?.revision === revision - 1) return kept;
    const { events } = await this.#store.readStream(stream, { limit: revision });
    return this.#fold(this.#nothing, events);
  }

  #fold(before: FoldedStream<State>, events: readonly RecordedEvent[]): FoldedStream<State> {
    let { state, last } = before;
    for (const event of events) {
      if (!this.#types.has(event.envelope.type)) continue;
      const from = state;
      state = readable(event, (one) => this.#options.evolve(from, one));
      last = event;
    }
    return { state, last, revision: events.at(-1)?.revision ?? before.revision };
  }

  #changeOf(stream: string, { state, last }: FoldedStream<State>): RowsChange {
    const { revision, envelope } = last as RecordedEvent;
    const { organization, tags } = envelope;
    const rows = this.#options
      .rowsOf(state, stream)
      .map((values) => ({ stream, revision, organization, tags, values }));
    return { kind: 'rows', model: this.#options.name, stream, floor: revision, rows };
  }
}
