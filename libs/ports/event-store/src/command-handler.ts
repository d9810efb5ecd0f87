import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, err, giveWay, mnemeError, ok, type Result } from '#platform/kernel';
import { appendAll, appendsOf } from './append-all.ts';
import type { FoldCache } from './fold-cache.ts';
import type { Model } from './model.ts';
import type { AppendChain, ChainResult, EventStore, NewEvent, Position, StreamSlice } from './port.ts';
import { emptyFold, StreamFolds } from './stream-folds.ts';
import { StreamQueues } from './stream-queues.ts';
import { type Upcasters, withUpcasters } from './upcasters.ts';

const ATTEMPTS = 8;
/** Doubled with each lost race: in all about a second, longer than most bursts of other writers. */
const FIRST_PAUSE_MS = 4;

/** The events of a command, or why it is refused. No events: nothing to change, which is a success. */
export type Decision<E> = Result<
  readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true },
  E
>;

export interface Loaded<State> {
  readonly state: State;
  readonly revision: number | 'no-stream';
}

export interface CommandResult<State> extends Loaded<State> {
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
  execute<State, E>(command: Command<State, E>): Promise<Result<CommandResult<State>, E>>;
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
export class ConcurrencyExhaustedError extends mnemeError('transient', 'concurrency_exhausted') {}

export function createCommandHandler(options: CommandHandlerOptions): CommandHandler {
  const { clock } = options;
  const store = options.upcasters ? withUpcasters(options.store, options.upcasters) : options.store;
  // Written events have the current form, so appends need no upcasters.
  const append: EventStore['append'] = (...args) => options.store.append(...args);
  const folds = new StreamFolds(store, options.cache);
  const queues = new StreamQueues();

  async function run<State, E>(command: Command<State, E>): Promise<Result<CommandResult<State>, E>> {
    const { stream, model } = command;
    // The append checks the revision of a cached state. A decision without events appends nothing, so it is repeated on
    // the state that the store returns.
    let current = command.isNew ? emptyFold(model) : folds.cached(stream, model);
    let checked = false;
    for (let lost = 0; lost < ATTEMPTS; ) {
      if (!current) {
        current = await folds.load(stream, model);
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
          ? await folds.reload(stream, model)
          : folds.keep(stream, model, {
              ...current,
              revision: appended.revision,
              state: events.reduce(model.evolve, state),
            });
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

  /** Keeps the states after a commit; what became of a chain that failed is read again. */
  function remember(chain: readonly StreamChange[], result: ChainResult): void {
    for (const [i, { stream, model, from, events }] of chain.entries()) {
      const appended = result.ok ? result.appended[i] : undefined;
      if (!appended || appended.erased) {
        folds.drop(stream, model);
        continue;
      }
      const cached = folds.cached(stream, model);
      // Work on the stream may have gone on already.
      if ((cached?.revision ?? -1) > appended.revision) continue;
      const snapshot = cached?.snapshot ?? -1;
      const state = events.reduce(model.evolve, from.state);
      folds.keep(stream, model, { revision: appended.revision, state, erased: false, snapshot });
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
      const flat: readonly AppendChain[] = appends.map((chain) => chain.flat());
      const finished = new Map<number, ChainResult>();
      const finish = (i: number, flatResult: ChainResult) => {
        const result = byChange(flatResult, appends[i] ?? []);
        remember(chains[i] ?? [], result);
        finished.set(i, result);
        return result;
      };
      // Work on the streams of a chain may begin before the other chains are recorded.
      const onRecorded = (chain: AppendChain, result: ChainResult) => void finish(flat.indexOf(chain), result);
      const results = await options.store.appendTogether(flat, { onRecorded });
      for (const [i, result] of results.entries()) {
        if (finished.has(i)) continue;
        if (i > 0) await giveWay();
        finish(i, result);
      }
      return results.map((_, i) => finished.get(i) as ChainResult);
    },
    async record(stream, eventsAt, options = {}) {
      const events = eventsAt(clock.now());
      const appended = await append(stream, events, { expected: 'stream-exists', newIds: true, ...options });
      return appended.ok ? appended.position : null;
    },
    holds: (stream, model) => folds.cached(stream, model) !== undefined,
    read: (stream) => store.readStream(stream),
    async load<State>(stream: string, model: Model<State>, options: { readonly mayBeStale?: boolean } = {}) {
      const cached = options.mayBeStale ? folds.cached(stream, model) : undefined;
      const { state, revision } = cached ?? (await folds.load(stream, model, options));
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

function eventsOf(decision: readonly NewEvent[] | { readonly events: readonly NewEvent[]; readonly erase: true }) {
  return 'erase' in decision ? decision : { events: decision, erase: false };
}
