import { type CommandHandler, type EventStore, type Model, record, systemCause } from '#event-store';
import { foldWith, ok, type Result } from '#kernel';
import {
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  VECTOR_SPACE_EVENTS,
  type VectorSpaceEvent,
  type VectorSpaceState,
} from './vector-space.ts';

const VECTOR_SPACE_STREAM = 'vector-space';
/** Category of the stream, for subscriptions. */
export const VECTOR_SPACE_CATEGORY = 'vector';

const foldVectorSpace = foldWith(VECTOR_SPACE_EVENTS, evolveVectorSpace);

const VECTOR_SPACE: Model<VectorSpaceState> = {
  name: 'vector-space',
  version: 1,
  initialState: initialVectorSpace,
  evolve: foldVectorSpace,
};

/** For readers without a command handler. */
export async function vectorSpaceOf(store: Pick<EventStore, 'readStream'>): Promise<VectorSpaceState> {
  const { events } = await store.readStream(VECTOR_SPACE_STREAM);
  return events.reduce(foldVectorSpace, initialVectorSpace);
}

/** The serving vector space of all organizations, and the one that is being built. */
export class VectorSpaces {
  readonly #handler: CommandHandler;
  readonly #fallback: string;

  /** @param fallback serves as long as none was selected */
  constructor(handler: CommandHandler, fallback: string) {
    this.#handler = handler;
    this.#fallback = fallback;
  }

  async load(): Promise<{ readonly serving: string; readonly coming: string | null }> {
    const { state } = await this.#handler.load(VECTOR_SPACE_STREAM, VECTOR_SPACE);
    return { serving: state.serving ?? this.#fallback, coming: state.coming };
  }

  /** From now on documents are embedded in this space too. The serving space: in this one alone. */
  async begin(space: string): Promise<void> {
    await this.#change((state) => ok(decideBegin(state, space, this.#fallback)));
  }

  /** @returns `superseded`: another space has been begun since, or the serving one was asked for */
  async select(space: string): Promise<Result<void, 'superseded'>> {
    return this.#change((state) => decideSelect(state, space));
  }

  async #change<E>(
    decide: (state: VectorSpaceState) => Result<readonly VectorSpaceEvent[], E>,
  ): Promise<Result<void, E>> {
    const cause = systemCause();
    const changed = await this.#handler.execute({
      stream: VECTOR_SPACE_STREAM,
      model: VECTOR_SPACE,
      decide: (state, _revision, now) => {
        const decided = decide(state);
        if (!decided.ok) return decided;
        return ok(record(VECTOR_SPACE_EVENTS, decided.value, { organization: '', cause, tags: [], now }));
      },
    });
    return changed.ok ? ok(undefined) : changed;
  }
}
