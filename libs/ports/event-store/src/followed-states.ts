import type { RecordedEvent } from './port.ts';

export interface FollowedStreams<State> {
  /** The id in the name of a stream. Null: it is the stream of something else. */
  readonly idIn: (stream: string) => string | null;
  readonly initialState: State;
  readonly evolve: (state: State, event: RecordedEvent) => State;
  /** Called after a state has taken the place of another. @param former undefined: nothing was known */
  readonly onChange?: (id: string, state: State, former: State | undefined) => void;
}

/** The states of streams of one kind, in memory. They come from the log and from the commands of this process, in any order. */
export class FollowedStates<State> {
  readonly #streams: FollowedStreams<State>;
  readonly #known = new Map<string, { readonly state: State; readonly revision: number }>();

  constructor(streams: FollowedStreams<State>) {
    this.#streams = streams;
  }

  /** Takes an event of the log. Those that are known and those of other streams change nothing. */
  apply(event: RecordedEvent): void {
    const { idIn, initialState, evolve } = this.#streams;
    const id = idIn(event.stream);
    const known = id === null ? undefined : this.#known.get(id);
    if (id === null || event.revision <= (known?.revision ?? -1)) return;
    this.set(id, evolve(known === undefined ? initialState : known.state, event), event.revision);
  }

  /** Takes a state, unless a later one is known already. @param revision of its last event */
  set(id: string, state: State, revision: number): void {
    const known = this.#known.get(id);
    if (revision < (known?.revision ?? -1)) return;
    this.#known.set(id, { state, revision });
    this.#streams.onChange?.(id, state, known?.state);
  }

  /** Forgets a state that does not count any more. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Undefined: nothing is known of it. */
  get(id: string): State | undefined {
    return this.#known.get(id)?.state;
  }

  /** Each state with its id, in the order in which they became known. */
  entries(): readonly (readonly [string, State])[] {
    return [...this.#known].map(([id, { state }]) => [id, state]);
  }

  states(): readonly State[] {
    return [...this.#known.values()].map(({ state }) => state);
  }
}
