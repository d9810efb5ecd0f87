import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, err, type JsonObject, MnemeError, ok, type Result } from '#kernel';
import type { Fold, FoldCache } from './fold-cache.ts';
import type { EventStore, NewEvent, Position, RecordedEvent, StreamSlice } from './port.ts';
import { type Upcasters, withUpcasters } from './upcasters.ts';

const ATTEMPTS = 8;
/** Doubled with each lost race: in all about a second, which a burst of other writers rarely outlasts. */
const FIRST_PAUSE_MS = 4;
const SNAPSHOT_EVERY = 200;
/** Most streams are shorter, and a stream as short as this has no snapshot to ask for. */
const SHORT_STREAM = 32;

/** How the state of a stream follows from its events. States are plain JSON, for they are kept as snapshots. */
export interface Model<State> {
  readonly name: string;
  /** Raised with every change of `evolve` or of the state's shape; snapshots of other versions are ignored. */
  readonly version: number;
  readonly initialState: State;
  /** Pure. The payload is null where the event never had one or where the stream was erased. */
  evolve(state: State, event: Pick<RecordedEvent, 'envelope' | 'payload'>): State;
}

/** The events of a command, or why it is refused. No events: nothing to do, which is a success. */
export type Decision<E> = Result<
  readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true },
  E
>;

export interface Loaded<State> {
  readonly state: State;
  readonly revision: number | 'no-stream';
}

export interface Executed<State> extends Loaded<State> {
  /** Of the last event of this command; null if it had none. */
  readonly position: Position | null;
  readonly events: readonly NewEvent[];
}

export interface Command<State, E> {
  readonly stream: string;
  readonly model: Model<State>;
  /** The stream is believed not to exist: it is not read first. Where it does exist after all, it is read then. */
  readonly isNew?: boolean;
  /** Pure; called again with a newer state when another writer was faster. `now`: milliseconds since the epoch. */
  decide(state: State, revision: number | 'no-stream', now: number): Decision<E>;
}

type ModelName = Pick<Model<unknown>, 'name' | 'version'>;

export interface CommandHandlerOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly cache: FoldCache;
  /** For a store that is not wrapped by `withUpcasters` already. */
  readonly upcasters?: Upcasters;
}

export interface CommandHandler {
  /**
   * Loads, folds, decides, appends at the revision that was read, and starts over when another writer was faster.
   * Durable when it resolves with events.
   * @throws ConcurrencyExhaustedError after 8 lost races, StorageFullError
   */
  execute<State, E>(command: Command<State, E>): Promise<Result<Executed<State>, E>>;
  /**
   * The state as of now, whoever wrote last.
   * @param options.mayBeStale answers from the cache where it can, without asking the store; good enough for work whose
   *   result is checked when it is appended
   */
  load<State>(stream: string, model: Model<State>, options?: { readonly mayBeStale?: boolean }): Promise<Loaded<State>>;
  /**
   * Appends without folding the stream: to one that is there, whatever state it is in, or at a revision of which the caller
   * knows what follows from it.
   * @param eventsAt told the time, in milliseconds since the epoch; its events have new ids
   * @returns the place of the last one; null: there is no such stream, or it is not at that revision
   */
  record(
    stream: string,
    eventsAt: (now: number) => readonly NewEvent[],
    options?: { readonly erase?: boolean; readonly expected?: number },
  ): Promise<Position | null>;
  /** Whether a command on the stream need not read it first. */
  holds<State>(stream: string, model: Model<State>): boolean;
  /** The events themselves, in their present form. */
  read(stream: string): Promise<StreamSlice>;
}

/** Other writers were faster every time; trying again later is sound. At the HTTP edge: 503 with Retry-After. */
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
  const queues = new Map<string, Promise<unknown>>();

  const keyOf = (stream: string, model: ModelName) => `${snapshotName(model)} ${stream}`;

  /** Folds what came after the cached or snapshotted state; a fold from before an erasure is thrown away. */
  async function fold<State>(stream: string, model: Model<State>): Promise<Fold> {
    const key = keyOf(stream, model);
    let start = cache.get(key);
    if (!start) {
      const begin = await store.readStream(stream, { limit: SHORT_STREAM });
      const begun = folded(model, { ...empty(model), erased: begin.erased }, begin);
      if (begin.revision === 'no-stream') return begun;
      if (begin.events.length < SHORT_STREAM) return keep(stream, model, begun);
      start = (await fromSnapshot(stream, model)) ?? begun;
    }
    let slice = await store.readStream(stream, { from: start.revision + 1 });
    if (slice.erased !== start.erased && start.revision >= 0) {
      cache.delete(key);
      start = { ...empty(model), erased: slice.erased };
      slice = await store.readStream(stream);
    }
    if (slice.revision === 'no-stream') return empty(model);
    return keep(stream, model, folded(model, start, slice));
  }

  async function fromSnapshot<State>(stream: string, model: Model<State>): Promise<Fold | null> {
    const held = await store.loadSnapshot(stream, snapshotName(model));
    return held && { revision: held.revision, state: held.state, erased: false, snapshot: held.revision };
  }

  function keep<State>(stream: string, model: Model<State>, current: Fold): Fold {
    const due = !current.erased && current.revision - current.snapshot >= SNAPSHOT_EVERY;
    const kept = due ? { ...current, snapshot: current.revision } : current;
    cache.set(keyOf(stream, model), kept);
    if (due) {
      // Nobody waits for it and nothing is lost without it, e.g. when the disk is full.
      store.saveSnapshot(stream, current.revision, snapshotName(model), current.state as JsonObject).catch(() => {});
    }
    return kept;
  }

  async function run<State, E>(command: Command<State, E>): Promise<Result<Executed<State>, E>> {
    const { stream, model } = command;
    const key = keyOf(stream, model);
    // A cached state need not be checked first: the append checks its revision. Only a decision that appends nothing has
    // nobody to check it, and is taken again on what the store says.
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

      const appended = await append(stream, events, { expected: revision, ...(erase && { erase }) });
      if (appended.ok) {
        const after = appended.erased
          ? await refold(stream, model)
          : keep(stream, model, { ...current, revision: appended.revision, state: events.reduce(model.evolve, state) });
        return ok({ state: after.state as State, revision: appended.revision, position: appended.position, events });
      }
      // A cached state that had gone stale is no lost race.
      if (checked) {
        lost++;
        await pause(randomInt(FIRST_PAUSE_MS * 2 ** lost));
      }
      current = undefined;
    }
    throw new ConcurrencyExhaustedError(`${ATTEMPTS} attempts to append to ${stream} met other writers`);
  }

  /** After an erasure: neither the old fold nor the payloads just appended may live on in a state. */
  function refold<State>(stream: string, model: Model<State>): Promise<Fold> {
    cache.delete(keyOf(stream, model));
    return fold(stream, model);
  }

  return {
    async execute(command) {
      // Commands of this process for one stream would only drive each other into conflicts: they queue.
      const before = queues.get(command.stream);
      const running = before ? before.then(() => run(command)) : run(command);
      const settled = running.then(
        () => {},
        () => {},
      );
      queues.set(command.stream, settled);
      try {
        return await running;
      } finally {
        if (queues.get(command.stream) === settled) queues.delete(command.stream);
      }
    },
    async record(stream, eventsAt, options = {}) {
      const events = eventsAt(clock.now());
      const appended = await append(stream, events, { expected: 'stream-exists', newIds: true, ...options });
      return appended.ok ? appended.position : null;
    },
    holds: (stream, model) => cache.get(keyOf(stream, model)) !== undefined,
    read: (stream) => store.readStream(stream),
    async load<State>(stream: string, model: Model<State>, options: { readonly mayBeStale?: boolean } = {}) {
      const known = options.mayBeStale ? cache.get(keyOf(stream, model)) : undefined;
      const { state, revision } = known ?? (await fold(stream, model));
      return { state: state as State, revision: revision < 0 ? 'no-stream' : revision };
    },
  };
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

function eventsOf(decided: readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true }) {
  return 'erase' in decided ? decided : { events: decided, erase: false };
}
