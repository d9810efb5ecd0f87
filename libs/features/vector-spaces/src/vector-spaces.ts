import {
  decideAdopt,
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  VECTOR_SPACE_EVENTS,
  type VectorSpaceEvent,
  type VectorSpaceState,
} from '#features/vector-spaces/model';
import { foldWith, ok, type Result } from '#platform/kernel';
import { type CommandHandler, type EventStore, type Model, record, systemCause } from '#ports/event-store';
import { groupStream, type SpaceGroup } from './groups.ts';

const foldVectorSpace = foldWith(VECTOR_SPACE_EVENTS, evolveVectorSpace);

const VECTOR_SPACE: Model<VectorSpaceState> = {
  name: 'vector-space',
  version: 3,
  initialState: initialVectorSpace,
  evolve: foldVectorSpace,
};

/** The serving space of a group, for readers without a command handler. */
export async function servingSpace(store: Pick<EventStore, 'readStream'>, group: SpaceGroup): Promise<string> {
  const { events } = await store.readStream(groupStream(group));
  return events.reduce(foldVectorSpace, initialVectorSpace).serving ?? group.initialSpace;
}

export interface GroupSpaces extends Pick<VectorSpaceState, 'coming' | 'choices'> {
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

  /** Has a space serve in a log without documents of its group. */
  async adopt(group: SpaceGroup, space = group.initialSpace): Promise<void> {
    await this.#change(group, (state) => ok(decideAdopt(state, space)));
  }

  /** From now on documents are embedded in this space too. If it is the serving space: in this one alone. */
  async begin(group: SpaceGroup, space: string): Promise<void> {
    await this.#change(group, (state) => ok(decideBegin(state, space, group.initialSpace)));
  }

  /** @returns `superseded`: another space has been begun since, or the serving one was asked for */
  async select(group: SpaceGroup, space: string): Promise<Result<void, 'superseded'>> {
    return this.#change(group, (state) => decideSelect(state, space));
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
