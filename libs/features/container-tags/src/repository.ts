import { type AccessScope, err, foldWith, ok, permits, type Result, type Scope } from '#platform/kernel';
import { type Cause, type CommandHandler, Generations, type Model, record } from '#ports/event-store';
import { decideTagChange, removalEvent } from './decide.ts';
import { CONTAINER_TAG_EVENTS } from './events.ts';
import { evolveTag } from './evolve.ts';
import { type ContainerTagState, initialTag, NO_VALUES, TAG_VERSION, type TagValues } from './state.ts';
import { containerTagStream } from './streams.ts';

export const foldTag = foldWith(CONTAINER_TAG_EVENTS, evolveTag);

const CONTAINER_TAG: Model<ContainerTagState> = {
  name: 'containertag',
  version: TAG_VERSION,
  initialState: initialTag,
  evolve: foldTag,
};

/** What callers have set on tags. A tag needs no values: it exists as soon as a document carries it. */
export class ContainerTagRepository {
  readonly #values: Generations<ContainerTagState>;

  constructor(handler: CommandHandler) {
    this.#values = new Generations({
      ...{ handler, model: CONTAINER_TAG },
      hasEnded: ({ status }) => status === 'removed',
    });
  }

  /** `forbidden`: the tag is not in the scope. */
  async load(scope: Scope, tag: string): Promise<Result<ContainerTagState, 'forbidden'>> {
    if (!permits(scope, [tag])) return err('forbidden');
    return ok(await this.#values.load(containerTagStream(scope.organization, tag)));
  }

  /** @param changesOf what is to change, given the present values; null clears a value */
  async change(
    scope: AccessScope,
    tag: string,
    cause: Cause,
    changesOf: (values: TagValues) => Partial<TagValues>,
  ): Promise<Result<ContainerTagState, 'forbidden'>> {
    if (!permits(scope, [tag])) return err('forbidden');
    const { organization } = scope;
    const changed = await this.#values.execute<never>(
      containerTagStream(organization, tag),
      { organization, cause },
      (state, now) => {
        const events = decideTagChange(state, tag, changesOf(state.status === 'set' ? state : NO_VALUES));
        return ok(record(CONTAINER_TAG_EVENTS, events, { organization, cause, tags: [tag], now }));
      },
    );
    return changed.ok ? ok(changed.value.state) : changed;
  }

  /** Sets values on a tag that has none. `exists`: it has some. */
  async create(
    scope: AccessScope,
    tag: string,
    cause: Cause,
    values: Partial<TagValues>,
  ): Promise<Result<ContainerTagState, 'forbidden' | 'exists'>> {
    if (!permits(scope, [tag])) return err('forbidden');
    const { organization } = scope;
    const created = await this.#values.execute<'exists'>(
      containerTagStream(organization, tag),
      { organization, cause },
      (state, now) =>
        state.status === 'set'
          ? err('exists')
          : ok(
              record(CONTAINER_TAG_EVENTS, decideTagChange(state, tag, values), {
                organization,
                cause,
                tags: [tag],
                now,
              }),
            ),
    );
    return created.ok ? ok(created.value.state) : created;
  }

  /** Erases the values of a tag that was deleted or merged into another one. */
  async erase(scope: AccessScope, tag: string, cause: Cause): Promise<void> {
    if (!permits(scope, [tag])) return;
    const { organization } = scope;
    await this.#values.erase(containerTagStream(organization, tag), (now) =>
      record(CONTAINER_TAG_EVENTS, [removalEvent], { organization, cause, tags: [tag], now }),
    );
  }
}
