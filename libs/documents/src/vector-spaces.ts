import {
  type Decided,
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  type VectorSpaceState,
} from '#domain';
import type { CommandHandler, EventStore, Model, StreamSlice } from '#event-store';
import { newId, type OrganizationId, ok, type Result } from '#kernel';
import { record, SYSTEM } from './recording.ts';

export const VECTOR_SPACE_STREAM = 'vector-space';
/** Of the events of the stream, for who follows them. */
export const VECTOR_SPACE_CATEGORY = 'vector';

const VECTOR_SPACE: Model<VectorSpaceState> = {
  name: 'vector-space',
  version: 1,
  initialState: initialVectorSpace,
  evolve: evolveVectorSpace,
};

/** For who only reads. */
export async function vectorSpaceOf(store: Pick<EventStore, 'readStream'>): Promise<VectorSpaceState> {
  const { events }: StreamSlice = await store.readStream(VECTOR_SPACE_STREAM);
  return events.reduce(evolveVectorSpace, initialVectorSpace);
}

/** In which vector space documents are found, and which one is being built. Of all organizations together. */
export class VectorSpaces {
  readonly #handler: CommandHandler;
  readonly #fallback: string;

  /** @param fallback serves as long as none was chosen */
  constructor(handler: CommandHandler, fallback: string) {
    this.#handler = handler;
    this.#fallback = fallback;
  }

  async load(): Promise<{ readonly serving: string; readonly coming: string | null }> {
    const { state } = await this.#handler.load(VECTOR_SPACE_STREAM, VECTOR_SPACE);
    return { serving: state.serving ?? this.#fallback, coming: state.coming };
  }

  /** From now on what becomes ready to be found is embedded in this space too. Where it serves: in this one alone. */
  async begin(space: string): Promise<void> {
    await this.#change((state) => ok(decideBegin(state, space, this.#fallback)));
  }

  /** @returns `superseded`: another space has been begun since, or the serving one was asked for */
  async select(space: string): Promise<Result<void, 'superseded'>> {
    return this.#change((state) => decideSelect(state, space));
  }

  async #change<E>(decide: (state: VectorSpaceState) => Result<readonly Decided[], E>): Promise<Result<void, E>> {
    const cause = {
      organization: '' as OrganizationId,
      actor: SYSTEM,
      correlationId: newId(),
      causationId: null,
    };
    const changed = await this.#handler.execute({
      stream: VECTOR_SPACE_STREAM,
      model: VECTOR_SPACE,
      decide: (state, _revision, now) => {
        const decided = decide(state);
        return decided.ok ? ok(record(decided.value, cause, [], now)) : decided;
      },
    });
    return changed.ok ? ok(undefined) : changed;
  }
}
