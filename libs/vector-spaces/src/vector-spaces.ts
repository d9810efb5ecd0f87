import { type CommandHandler, type EventStore, type Model, record, systemCause } from '#event-store';
import { foldWith, ok, type Result } from '#kernel';
import {
  decideAdopt,
  decideBegin,
  decideReleased,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  VECTOR_SPACE_EVENTS,
  type VectorSpaceEvent,
  type VectorSpaceState,
} from '#vector-spaces/model';
import { groupStream, type SpaceGroup } from './groups.ts';

const foldVectorSpace = foldWith(VECTOR_SPACE_EVENTS, evolveVectorSpace);

const VECTOR_SPACE: Model<VectorSpaceState> = {
  name: 'vector-space',
  version: 2,
  initialState: initialVectorSpace,
  evolve: foldVectorSpace,
};

/** The serving space of a group, for readers without a command handler. */
export async function servingSpace(store: Pick<EventStore, 'readStream'>, group: SpaceGroup): Promise<string> {
  const { events } = await store.readStream(groupStream(group));
  return events.reduce(foldVectorSpace, initialVectorSpace).serving ?? group.initialSpace;
}

export interface GroupSpaces extends Pick<VectorSpaceState, 'coming' | 'outgoing' | 'choices'> {
  readonly serving: string;
}

/** The spaces of each group as the log records them, for all organizations. */
export class VectorSpaces {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  async load(group: SpaceGroup): Promise<GroupSpaces> {
    const { state } = await this.#handler.load(groupStream(group), VECTOR_SPACE);
    return { ...state, serving: state.serving ?? group.initialSpace };
  }

  /** Has the present space of a group serve in a log without documents. */
  async adopt(group: SpaceGroup): Promise<void> {
    await this.#change(group, (state) => ok(decideAdopt(state, group.presentSpace)));
  }

  /** From now on documents are embedded in this space too. If it is the serving space: in this one alone. */
  async begin(group: SpaceGroup, space: string): Promise<void> {
    await this.#change(group, (state) => ok(decideBegin(state, space, group.initialSpace)));
  }

  /**
   * @param replaces a space whose vectors are to be removed once the new views serve; null: all vectors stay
   * @returns `superseded`: another space has been begun since, or the serving one was asked for
   */
  async select(group: SpaceGroup, space: string, replaces: string | null = null): Promise<Result<void, 'superseded'>> {
    return this.#change(group, (state) => decideSelect(state, space, replaces));
  }

  /** The vectors of an outgoing space are removed. */
  async released(group: SpaceGroup, space: string): Promise<void> {
    await this.#change(group, (state) => ok(decideReleased(state, space)));
  }

  async #change<E>(
    group: SpaceGroup,
    decide: (state: VectorSpaceState) => Result<readonly VectorSpaceEvent[], E>,
  ): Promise<Result<void, E>> {
    const cause = systemCause();
    const changed = await this.#handler.execute({
      stream: groupStream(group),
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
