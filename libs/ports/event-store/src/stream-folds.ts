import type { JsonObject } from '#platform/kernel';
import type { Fold, FoldCache } from './fold-cache.ts';
import type { Model } from './model.ts';
import type { EventStore, StreamRange, StreamSlice } from './port.ts';

const SNAPSHOT_EVERY = 200;
/** Most streams are shorter. A stream of this length has no snapshot yet. */
const SHORT_STREAM = 32;

type ModelName = Pick<Model<unknown>, 'name' | 'version'>;

/** The folds of streams: from the cache, else from a snapshot, and from the events after it. */
export class StreamFolds {
  readonly #store: EventStore;
  readonly #cache: FoldCache;

  constructor(store: EventStore, cache: FoldCache) {
    this.#store = store;
    this.#cache = cache;
  }

  cached(stream: string, model: ModelName): Fold | undefined {
    return this.#cache.get(keyOf(stream, model));
  }

  drop(stream: string, model: ModelName): void {
    this.#cache.delete(keyOf(stream, model));
  }

  /**
   * Folds the events after the cached or snapshotted state. A fold from before an erasure is dropped.
   * @param range as of `EventStore.readStream`
   */
  async load<State>(stream: string, model: Model<State>, range: Pick<StreamRange, 'mayBeStale'> = {}): Promise<Fold> {
    let start = this.cached(stream, model);
    if (!start) {
      const begin = await this.#store.readStream(stream, { ...range, limit: SHORT_STREAM });
      const begun = folded(model, beginning(model, begin), begin);
      if (begin.revision === 'no-stream') return begun;
      if (begin.events.length < SHORT_STREAM) return this.keep(stream, model, begun);
      start = (await this.#fromSnapshot(stream, model)) ?? begun;
    }
    let slice = await this.#store.readStream(stream, { ...range, from: start.revision + 1 });
    if (slice.erased !== start.erased && start.revision >= 0) {
      this.drop(stream, model);
      slice = await this.#store.readStream(stream);
      start = beginning(model, slice);
    }
    if (slice.revision === 'no-stream') return emptyFold(model);
    return this.keep(stream, model, folded(model, start, slice));
  }

  /** After an erasure neither the old fold nor the payloads just appended may remain in a state. */
  reload<State>(stream: string, model: Model<State>): Promise<Fold> {
    this.drop(stream, model);
    return this.load(stream, model);
  }

  /** Caches a fold, and stores a snapshot of it now and then. */
  keep<State>(stream: string, model: Model<State>, current: Fold): Fold {
    const due = !current.erased && current.revision - current.snapshot >= SNAPSHOT_EVERY;
    const kept = due ? { ...current, snapshot: current.revision } : current;
    this.#cache.set(keyOf(stream, model), kept, model.isInWork?.(kept.state as State));
    if (due) {
      const { revision, state } = current;
      // A snapshot only saves time, so a failure, e.g. a full disk, is ignored.
      this.#store.saveSnapshot(stream, revision, snapshotName(model), state as JsonObject).catch(() => {});
    }
    return kept;
  }

  async #fromSnapshot(stream: string, model: ModelName): Promise<Fold | null> {
    const snapshot = await this.#store.loadSnapshot(stream, snapshotName(model));
    return snapshot && { ...snapshot, erased: false, snapshot: snapshot.revision };
  }
}

export function emptyFold<State>(model: Model<State>): Fold {
  return { revision: -1, state: model.initialState, erased: false, snapshot: -1 };
}

/** The fold before the first event of a stream that is read from its beginning. */
function beginning<State>(model: Model<State>, { events, revision, erased }: StreamSlice): Fold {
  const isRemoved = events.length === 0 && revision !== 'no-stream';
  return { ...emptyFold(model), erased, ...(isRemoved && { state: model.removedState ?? model.initialState }) };
}

function folded<State>(
  model: Model<State>,
  { state, erased, snapshot }: Fold,
  { events, revision }: StreamSlice,
): Fold {
  return {
    revision: revision === 'no-stream' ? -1 : revision,
    state: events.reduce(model.evolve, state as State),
    erased,
    snapshot,
  };
}

const snapshotName = ({ name, version }: ModelName): string => `${name}@${version}`;

const keyOf = (stream: string, model: ModelName): string => `${snapshotName(model)} ${stream}`;
