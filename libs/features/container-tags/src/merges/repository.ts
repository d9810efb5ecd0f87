import { ok, type Result, readEvent } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import type { TagLocks } from '../tag-locks.ts';
import { decideMergeEvent, decideMergeStart } from './decide.ts';
import { TAG_MERGE_EVENTS, type TagMergeEvent } from './events.ts';
import { evolveMerges } from './evolve.ts';
import { MERGES_VERSION, noMerges, type TagMerge, type TagMerges } from './state.ts';

const mergesStream = (organization: string): string => `tagmerge-${organization}`;

const MERGES: Model<TagMerges> = {
  name: 'tagmerges',
  version: MERGES_VERSION,
  initialState: noMerges,
  evolve: (state, stored) => {
    const event = readEvent(TAG_MERGE_EVENTS, stored);
    return event === null ? state : evolveMerges(state, event, stored.envelope);
  },
};

/** The merges of tags. All merges of an organization are one stream, so that two of them cannot start on the same tags. */
export class TagMergeRepository {
  readonly #handler: CommandHandler;
  readonly #locks: TagLocks;

  /** @param locks learn of what this process records before the call resolves */
  constructor(handler: CommandHandler, locks: TagLocks) {
    this.#handler = handler;
    this.#locks = locks;
  }

  async load(organization: string): Promise<TagMerges> {
    return (await this.#handler.load(mergesStream(organization), MERGES)).state;
  }

  /** @param cause its correlation id becomes the id of the merge */
  async start(
    organization: string,
    cause: Cause,
    { target, sources }: Pick<TagMerge, 'target' | 'sources'>,
  ): Promise<Result<void, 'tag_merging'>> {
    const tags = [target, ...sources];
    const started = await this.#handler.execute({
      ...{ stream: mergesStream(organization), model: MERGES },
      decide: (state, _revision, now) => {
        const events = decideMergeStart(state, target, sources);
        return events.ok ? ok(record(TAG_MERGE_EVENTS, events.value, { organization, cause, tags, now })) : events;
      },
    });
    if (!started.ok) return started;
    for (const { envelope } of started.value.events) this.#locks.observe(envelope);
    return ok(undefined);
  }

  /**
   * Resolves when no append of this process is left that was begun before it knew of the merges that it knows now. Rejects
   * when the signal aborts.
   */
  settled(signal: AbortSignal): Promise<void> {
    return this.#locks.settled(signal);
  }

  /** Records how far a merge is, unless it has ended. */
  async record(organization: string, { id, target, sources, actor }: TagMerge, event: TagMergeEvent): Promise<void> {
    const cause: Cause = { actor, correlationId: id, causationId: null };
    const tags = [target, ...sources];
    const recorded = await this.#handler.execute<TagMerges, never>({
      ...{ stream: mergesStream(organization), model: MERGES },
      decide: (state, _revision, now) =>
        ok(record(TAG_MERGE_EVENTS, decideMergeEvent(state, id, event), { organization, cause, tags, now })),
    });
    if (recorded.ok) for (const { envelope } of recorded.value.events) this.#locks.observe(envelope);
  }
}
