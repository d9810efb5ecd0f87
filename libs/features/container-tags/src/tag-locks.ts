import { mnemeError, unlessAborted } from '#platform/kernel';
import { type EventStore, type NewEvent, SYSTEM } from '#ports/event-store';

/** A write to a tag that is the source of a running merge. */
class TagMergingError extends mnemeError(undefined, 'tag_merging') {
  constructor() {
    super('a container tag is being merged into another one');
  }
}

const START = 'TagMergeStarted';
const ENDS: readonly string[] = ['TagMergeCompleted', 'TagMergeFailed'];
/** Types of the events that lock tags and unlock them. */
export const LOCK_EVENTS: readonly string[] = [START, ...ENDS];

type Envelope = NewEvent['envelope'];

/** The tags that are sources of running merges, as this process knows them. Follows the log. */
export class TagLocks {
  /** Merge by organization and tag. */
  readonly #merges = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #writes: ReadonlySet<string>;

  /** @param writes types of what callers write to tags. Deletions and the results of stages are allowed during a merge. */
  constructor(writes: ReadonlySet<string>) {
    this.#writes = writes;
  }

  observe({ type, organization, tags, correlationId }: Envelope): void {
    const keys = tags.slice(1).map((tag) => keyOf(organization, tag));
    if (type === START && !this.#ended.has(correlationId)) {
      for (const key of keys) this.#merges.set(key, correlationId);
    } else if (ENDS.includes(type)) {
      this.#ended.add(correlationId);
      for (const key of keys) if (this.#merges.get(key) === correlationId) this.#merges.delete(key);
    }
  }

  /** Returns an error if one of the events is a write to a locked tag that the merge itself does not make, else null. */
  refusal(events: readonly NewEvent[]): TagMergingError | null {
    if (this.#merges.size === 0) return null;
    for (const { envelope } of events) {
      if (!this.#writes.has(envelope.type) || isResult(envelope)) continue;
      for (const tag of envelope.tags) {
        const merge = this.#merges.get(keyOf(envelope.organization, tag));
        if (merge !== undefined && merge !== envelope.correlationId) return new TagMergingError();
      }
    }
    return null;
  }

  /** Returns the append, which has passed the check and may still take a while. */
  running<T>(append: Promise<T>): Promise<T> {
    this.#running.add(append);
    const end = () => this.#running.delete(append);
    append.then(end, end);
    return append;
  }

  /** Resolves when every append of this process that has passed the check by now has ended. Rejects when the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    await unlessAborted(Promise.allSettled(this.#running), signal);
  }
}

/** Texts that waited until a file was read change the content with the result of the stage that reads it. */
const isResult = ({ type, actor }: Envelope): boolean =>
  actor === SYSTEM && (type === 'ContentAppended' || type === 'ContentReplaced');

const keyOf = (organization: string, tag: string): string => `${organization} ${tag}`;

/**
 * The store with every append checked. All writes of a process pass here, whichever command makes them.
 * @param refusal what else refuses events. Returns null for those that it permits
 */
export function withTagLocks(
  store: EventStore,
  locks: TagLocks,
  refusal: (events: readonly NewEvent[]) => Error | null = () => null,
): EventStore {
  const admit = (events: readonly NewEvent[]) => refusal(events) ?? locks.refusal(events);
  const append: EventStore['append'] = async (stream, events, options) => {
    const refused = admit(events);
    if (refused !== null) throw refused;
    // Asked again when it is sent: it may have waited for a key.
    return locks.running(store.append(stream, events, { ...options, admit }));
  };
  const appendTogether: EventStore['appendTogether'] = async (chains, options) => {
    const refusals = chains.map((chain) => admit(chain.flatMap(({ events }) => events)));
    const permitted = chains.filter((_, i) => refusals[i] === null);
    // Asked again for each chain when it is sent: large batches give way to other work, such as the start of a merge.
    const appended =
      permitted.length === 0 ? [] : [...(await locks.running(store.appendTogether(permitted, { ...options, admit })))];
    return refusals.flatMap((error) =>
      error === null ? appended.splice(0, 1) : [{ ok: false as const, conflict: null, error }],
    );
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      if (name === 'appendTogether') return appendTogether;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
