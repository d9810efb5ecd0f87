import { LRUCache } from 'lru-cache';
import { ASKED_EVENTS, askedStream, decideAsked, evolveAsked } from '#features/vector-spaces/model';
import { foldWith, ok, type Scope } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';

/** Containers that this process remembers to have recorded. */
const MOST_REMEMBERED = 10_000;

const ASKED: Model<boolean> = {
  name: 'asked',
  version: 1,
  initialState: false,
  evolve: foldWith(ASKED_EVENTS, evolveAsked),
};

/** Records once of each container that it was asked in another language than English. */
export class AskedContainers {
  readonly #handler: CommandHandler;
  readonly #recorded = new LRUCache<string, true>({ max: MOST_REMEMBERED });

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** Records a question in each tag of its scope, or in the whole organization. */
  async record({ organization, tags }: Scope): Promise<void> {
    for (const tag of tags === 'all' ? [null] : tags) {
      const stream = askedStream(organization, tag);
      if (this.#recorded.has(stream)) continue;
      const cause = systemCause();
      await this.#handler.execute<boolean, never>({
        ...{ stream, model: ASKED },
        decide: (wasAsked, _revision, now) =>
          ok(record(ASKED_EVENTS, decideAsked(wasAsked), { organization, cause, tags: [], now })),
      });
      this.#recorded.set(stream, true);
    }
  }
}
