import { type EventOf, err, foldWith, ok, type Result } from '#platform/kernel';
import {
  type CommandHandler,
  type CommandResult,
  ConcurrencyExhaustedError,
  type Decision,
} from './command-handler.ts';
import type { Model } from './model.ts';
import type { NewEvent } from './port.ts';
import { type Cause, record } from './recording.ts';

/** The erased generation of a name is followed by the next one. Recorded in the stream that has the name itself. */
export type StreamReopened = EventOf<'StreamReopened', null>;

export const STREAM_REOPENED = { StreamReopened: { version: 1, payload: false } } as const;

/** How many generations of a name have been erased and followed by another one. */
const GENERATION: Model<number> = {
  name: 'generation',
  version: 1,
  initialState: 0,
  evolve: foldWith<number, StreamReopened>(STREAM_REOPENED, (state, { type }) =>
    type === 'StreamReopened' ? state + 1 : state,
  ),
};

const ATTEMPTS = 8;
const ENDED = Symbol('ended');

interface Generation<State> {
  readonly stream: string;
  readonly generation: number;
  readonly state: State;
}

export interface GenerationsOptions<State> {
  readonly handler: CommandHandler;
  readonly model: Model<State>;
  /** Whether the stream has ended with an event that erases it. */
  readonly hasEnded: (state: State) => boolean;
}

/**
 * Values under a name that can be erased and written again. An erased stream drops every payload that is appended later, so
 * each generation of the values has a stream of its own, `<name>_<generation>`, counted from 0.
 */
export class Generations<State> {
  readonly #handler: CommandHandler;
  readonly #model: Model<State>;
  readonly #hasEnded: (state: State) => boolean;

  constructor({ handler, model, hasEnded }: GenerationsOptions<State>) {
    this.#handler = handler;
    this.#model = model;
    this.#hasEnded = hasEnded;
  }

  /** Returns the state of the newest generation; the initial one if that was erased. */
  async load(name: string): Promise<State> {
    const { state } = await this.#current(name);
    return this.#hasEnded(state) ? this.#model.initialState : state;
  }

  /** As `CommandHandler.execute`, in the newest generation, or in the next one if that was erased. */
  async execute<E>(
    name: string,
    context: { readonly organization: string; readonly cause: Cause },
    decide: (state: State, now: number) => Decision<E>,
  ): Promise<Result<CommandResult<State>, E>> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { stream, generation } = await this.#current(name);
      const done = await this.#handler.execute<State, E | typeof ENDED>({
        ...{ stream, model: this.#model },
        decide: (state, _revision, now) => (this.#hasEnded(state) ? err(ENDED) : decide(state, now)),
      });
      if (done.ok) return done;
      if (done.error !== ENDED) return err(done.error as E);
      await this.#reopen(name, generation, context);
    }
    throw new ConcurrencyExhaustedError(`the values of ${name} are erased again and again`);
  }

  /**
   * Appends the event that ends the newest generation, and erases it. Does nothing if there are no values.
   * @param decide returns that event
   */
  async erase(name: string, decide: (now: number) => readonly NewEvent[]): Promise<void> {
    const { stream } = await this.#current(name);
    await this.#handler.execute<State, never>({
      ...{ stream, model: this.#model },
      decide: (state, revision, now) =>
        revision === 'no-stream' || this.#hasEnded(state) ? ok([]) : ok({ events: decide(now), erase: true }),
    });
  }

  async #current(name: string): Promise<Generation<State>> {
    // Most values are never erased, so the first generation is tried before it is asked which one is the newest.
    const first = await this.#at(name, 0);
    if (!this.#hasEnded(first.state)) return first;
    const { state: generation } = await this.#handler.load(name, GENERATION);
    return generation === 0 ? first : this.#at(name, generation);
  }

  async #at(name: string, generation: number): Promise<Generation<State>> {
    const stream = `${name}_${generation}`;
    return { stream, generation, state: (await this.#handler.load(stream, this.#model)).state };
  }

  /** Two processes may do so at once: the first one counts. */
  async #reopen(
    stream: string,
    ended: number,
    { organization, cause }: { readonly organization: string; readonly cause: Cause },
  ): Promise<void> {
    const reopened: StreamReopened = { type: 'StreamReopened', payload: null };
    await this.#handler.execute<number, never>({
      ...{ stream, model: GENERATION },
      decide: (generation, _revision, now) =>
        ok(generation === ended ? record(STREAM_REOPENED, [reopened], { organization, cause, tags: [], now }) : []),
    });
  }
}
