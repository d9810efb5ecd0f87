import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, err, type JsonObject, MnemeError, ok, type Result } from '#kernel';
import { appendAll, appendsOf } from './append-all.ts';
import type { Fold, FoldCache } from './fold-cache.ts';
import type { AppendChain, ChainResult, EventStore, NewEvent, Position, RecordedEvent, StreamSlice } from './port.ts';
import { StreamQueues } from './stream-queues.ts';
import { type Upcasters, withUpcasters } from './upcasters.ts';

const ATTEMPTS = 8;
/** Doubled with each lost race: in all about a second, longer than most bursts of other writers. */
const FIRST_PAUSE_MS = 4;
const SNAPSHOT_EVERY = 200;
/** Most streams are shorter. A stream of this length has no snapshot yet. */
const SHORT_STREAM = 32;

/** How the state of a stream follows from its events. States are plain JSON, because they are stored as snapshots. */
export interface Model<State> {
  readonly name: string;
  /** Raised with every change of `evolve` or of the state's shape; snapshots of other versions are ignored. */
  readonly version: number;
  readonly initialState: State;
  /** Of a stream whose events were removed with the tools of the engine. Default: the initial state. */
  readonly removedState?: State;
  /** Pure. The payload is null if the event never had one or the stream was erased. */
  evolve(state: State, event: Pick<RecordedEvent, 'envelope' | 'payload'>): State;
}

/** The events of a command, or why it is refused. No events: nothing to change, which is a success. */
export type Decision<E> = Result<
  readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true },
  E
>;

export interface Loaded<State> {
  readonly state: State;
  readonly revision: number | 'no-stream';
}

export interface Executed<State> extends Loaded<State> {
  /** Of the last event of this command; null: no events. */
  readonly position: Position | null;
  readonly events: readonly NewEvent[];
}

export interface Command<State, E> {
  readonly stream: string;
  readonly model: Model<State>;
  /** The stream is assumed not to exist and not read first. If it exists, it is read after the conflict. */
  readonly isNew?: boolean;
  /** Pure. Called again with a newer state after a conflict. `now`: milliseconds since the Unix epoch. */
  decide(state: State, revision: number | 'no-stream', now: number): Decision<E>;
}

/** Events that follow from a stream as it was loaded. */
export interface StreamChange<State = unknown> {
  readonly stream: string;
  readonly model: Model<State>;
  readonly from: Loaded<State>;
  /** At least one, with fresh ids. */
  readonly events: readonly NewEvent[];
}

type ModelName = Pick<Model<unknown>, 'name' | 'version'>;

export interface CommandHandlerOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly cache: FoldCache;
  /** Only for a store that is not wrapped by `withUpcasters`. */
  readonly upcasters?: Upcasters;
}

export interface CommandHandler {
  /**
   * Loads, folds, decides, and appends at the revision that was read; starts over after a conflict. Durable when it
   * resolves.
   * @throws ConcurrencyExhaustedError after 8 lost races, StorageFullError
   */
  execute<State, E>(command: Command<State, E>): Promise<Result<Executed<State>, E>>;
  /**
   * Records changes of several streams together, at the revisions that were read, as `EventStore.appendTogether` does. The
   * caller starts over after a conflict.
   */
  commit(chains: readonly (readonly StreamChange[])[]): Promise<readonly ChainResult[]>;
  /** Runs work after the earlier commands of this process for any of the streams. The work itself must not use `execute`. */
  inTurn<T>(streams: readonly string[], work: () => Promise<T>): Promise<T>;
  /**
   * Returns the current state.
   * @param options.mayBeStale returns a cached state without asking the store, for work whose result is checked when it is
   *   appended
   */
  load<State>(stream: string, model: Model<State>, options?: { readonly mayBeStale?: boolean }): Promise<Loaded<State>>;
  /**
   * Appends without folding the stream, to an existing stream or at a revision.
   * @param eventsAt returns events with new ids. `now`: milliseconds since the Unix epoch.
   * @returns the position of the last event; null: there is no such stream, or it is not at that revision
   */
  record(
    stream: string,
    eventsAt: (now: number) => readonly NewEvent[],
    options?: { readonly erase?: boolean; readonly expected?: number },
  ): Promise<Position | null>;
  /** Whether the state of the stream is cached, so that a command need not read the stream first. */
  holds<State>(stream: string, model: Model<State>): boolean;
  /** Reads the events of a stream in their current schema versions. */
  read(stream: string): Promise<StreamSlice>;
}

/** Every attempt met another writer. The same command may succeed later. */
export class ConcurrencyExhaustedError extends MnemeError {
  override readonly name = 'ConcurrencyExhaustedError';
  override readonly kind = 'transient';
  override readonly code = 'concurrency_exhausted';
}

export function createCommandHandler(options: CommandHandlerOptions): CommandHandler {
  const { clock, cache } = options;
  const store = options.upcasters ? withUpcasters(options.store, options.upcasters) : options.store;
  // Written events have the current form, so appends need no upcasters.
  const append: EventStore['append'] = (...args) => options.store.append(...args);
  const queues = new StreamQueues();

  const keyOf = (stream: string, model: ModelName) => `${snapshotName(model)} ${stream}`;

  /** Folds the events after the cached or snapshotted state. A fold from before an erasure is dropped. */
  async function fold<State>(stream: string, model: Model<State>): Promise<Fold> {
    const key = keyOf(stream, model);
    let start = cache.get(key);
    if (!start) {
      const begin = await store.readStream(stream, { limit: SHORT_STREAM });
      const begun = folded(model, beginning(model, begin), begin);
      if (begin.revision === 'no-stream') return begun;
      if (begin.events.length < SHORT_STREAM) return keep(stream, model, begun);
      start = (await fromSnapshot(stream, model)) ?? begun;
    }
    let slice = await store.readStream(stream, { from: start.revision + 1 });
    if (slice.erased !== start.erased && start.revision >= 0) {
      cache.delete(key);
      slice = await store.readStream(stream);
      start = beginning(model, slice);
    }
    if (slice.revision === 'no-stream') return empty(model);
    return keep(stream, model, folded(model, start, slice));
  }

  async function fromSnapshot<State>(stream: string, model: Model<State>): Promise<Fold | null> {
    const snapshot = await store.loadSnapshot(stream, snapshotName(model));
    return snapshot && { ...snapshot, erased: false, snapshot: snapshot.revision };
  }

  function keep<State>(stream: string, model: Model<State>, current: Fold): Fold {
    const due = !current.erased && current.revision - current.snapshot >= SNAPSHOT_EVERY;
    const kept = due ? { ...current, snapshot: current.revision } : current;
    cache.set(keyOf(stream, model), kept);
    if (due) {
      // A snapshot only saves time, so a failure, e.g. a full disk, is ignored.
      store.saveSnapshot(stream, current.revision, snapshotName(model), current.state as JsonObject).catch(() => {});
    }
    return kept;
  }

  async function run<State, E>(command: Command<State, E>): Promise<Result<Executed<State>, E>> {
    const { stream, model } = command;
    const key = keyOf(stream, model);
    // The append checks the revision of a cached state. A decision without events appends nothing, so it is repeated on
    // the state that the store returns.
    let current = command.isNew ? empty(model) : cache.get(key);
    let checked = false;
    for (let lost = 0; lost < ATTEMPTS; ) {
      if (!current) {
        current = await fold(stream, model);
        checked = true;
      }
      const revision = current.revision < 0 ? 'no-stream' : current.revision;
      const state = current.state as State;
      const decision = command.decide(state, revision, clock.now());
      const { events, erase } = decision.ok ? eventsOf(decision.value) : { events: [], erase: false };
      if (events.length === 0) {
        if (!checked) {
          current = undefined;
          continue;
        }
        return decision.ok ? ok({ state, revision, position: null, events }) : err(decision.error);
      }

      const appended = await appendAll(options.store, stream, events, { expected: revision, ...(erase && { erase }) });
      if (appended.ok) {
        const after = appended.erased
          ? await refold(stream, model)
          : keep(stream, model, { ...current, revision: appended.revision, state: events.reduce(model.evolve, state) });
        return ok({ state: after.state as State, revision: appended.revision, position: appended.position, events });
      }
      // A conflict on an outdated cached state is not a lost race.
      if (checked) {
        lost++;
        await pause(randomInt(FIRST_PAUSE_MS * 2 ** lost));
      }
      current = undefined;
    }
    throw new ConcurrencyExhaustedError(`${ATTEMPTS} attempts to append to ${stream} met other writers`);
  }

  /** After an erasure neither the old fold nor the payloads just appended may remain in a state. */
  function refold<State>(stream: string, model: Model<State>): Promise<Fold> {
    cache.delete(keyOf(stream, model));
    return fold(stream, model);
  }

  /** Keeps the states after a commit; what became of a chain that failed is read again. */
  function remember(chain: readonly StreamChange[], result: ChainResult): void {
    for (const [i, { stream, model, from, events }] of chain.entries()) {
      const appended = result.ok ? result.appended[i] : undefined;
      const key = keyOf(stream, model);
      if (!appended || appended.erased) {
        cache.delete(key);
        continue;
      }
      const snapshot = cache.get(key)?.snapshot ?? -1;
      const state = events.reduce(model.evolve, from.state);
      keep(stream, model, { revision: appended.revision, state, erased: false, snapshot });
    }
  }

  return {
    // Concurrent commands of this process for one stream would only cause conflicts, so they queue.
    execute: (command) => queues.run([command.stream], () => run(command)),
    inTurn: (streams, work) => queues.run(streams, work),
    async commit(chains) {
      const appends = chains.map((chain) =>
        chain.map(({ stream, events, from }) => appendsOf({ stream, events, expected: from.revision })),
      );
      const results = await options.store.appendTogether(appends.map((chain) => chain.flat()));
      return chains.map((chain, i) => {
        const result = byChange(results[i] as ChainResult, appends[i] ?? []);
        remember(chain, result);
        return result;
      });
    },
    async record(stream, eventsAt, options = {}) {
      const events = eventsAt(clock.now());
      const appended = await append(stream, events, { expected: 'stream-exists', newIds: true, ...options });
      return appended.ok ? appended.position : null;
    },
    holds: (stream, model) => cache.get(keyOf(stream, model)) !== undefined,
    read: (stream) => store.readStream(stream),
    async load<State>(stream: string, model: Model<State>, options: { readonly mayBeStale?: boolean } = {}) {
      const cached = options.mayBeStale ? cache.get(keyOf(stream, model)) : undefined;
      const { state, revision } = cached ?? (await fold(stream, model));
      return { state: state as State, revision: revision < 0 ? 'no-stream' : revision };
    },
  };
}

/** The result of a chain with one entry for each change, of which each is one append or more. */
function byChange(result: ChainResult, changes: readonly AppendChain[]): ChainResult {
  if (!result.ok) return result;
  let next = 0;
  const appended = changes.map(({ length }) => {
    next += length;
    return result.appended[next - 1] as (typeof result.appended)[number];
  });
  return { ok: true, appended };
}

function snapshotName(model: ModelName): string {
  return `${model.name}@${model.version}`;
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

function empty<State>(model: Model<State>): Fold {
  return { revision: -1, state: model.initialState, erased: false, snapshot: -1 };
}

/** The fold before the first event of a stream that is read from its beginning. */
function beginning<State>(model: Model<State>, { events, revision, erased }: StreamSlice): Fold {
  const isRemoved = events.length === 0 && revision !== 'no-stream';
  return { ...empty(model), erased, ...(isRemoved && { state: model.removedState ?? model.initialState }) };
}

function eventsOf(decision: readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true }) {
  return 'erase' in decision ? decision : { events: decision, erase: false };
}
