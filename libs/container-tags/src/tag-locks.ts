import type { EventStore, NewEvent } from '#event-store';
import { MnemeError } from '#kernel';

/** A write to a tag that is the source of a running merge. */
class TagMergingError extends MnemeError {
  override readonly name = 'TagMergingError';
  override readonly kind = undefined;
  override readonly code = 'tag_merging';

  constructor() {
    super('a container tag is being merged into another one');
  }
}

/** What callers write to tags. Deletions and the results of stages are allowed during a merge. */
const WRITES: ReadonlySet<string> = new Set([
  ...['DocumentAdded', 'ContentAppended', 'ContentReplaced', 'DetailsChanged'],
  'ContainerTagChanged',
]);
const ENDS: ReadonlySet<string> = new Set(['TagMergeCompleted', 'TagMergeFailed']);

type Envelope = NewEvent['envelope'];

/** The tags that are sources of running merges, as this process knows them. Follows the log. */
export class TagLocks {
  /** Merge by organization and tag. */
  readonly #merges = new Map<string, string>();
  readonly #ended = new Set<string>();

  observe({ type, organization, tags, correlationId }: Envelope): void {
    const keys = tags.slice(1).map((tag) => keyOf(organization, tag));
    if (type === 'TagMergeStarted' && !this.#ended.has(correlationId)) {
      for (const key of keys) this.#merges.set(key, correlationId);
    } else if (ENDS.has(type)) {
      this.#ended.add(correlationId);
      for (const key of keys) if (this.#merges.get(key) === correlationId) this.#merges.delete(key);
    }
  }

  isLocked(organization: string, tag: string): boolean {
    return this.#merges.has(keyOf(organization, tag));
  }

  /** @throws TagMergingError if one of the events is a write to a locked tag that the merge itself does not make */
  assertWritable(events: readonly NewEvent[]): void {
    if (this.#merges.size === 0) return;
    for (const { envelope } of events) {
      if (!WRITES.has(envelope.type)) continue;
      for (const tag of envelope.tags) {
        const merge = this.#merges.get(keyOf(envelope.organization, tag));
        if (merge !== undefined && merge !== envelope.correlationId) throw new TagMergingError();
      }
    }
  }
}

const keyOf = (organization: string, tag: string): string => `${organization} ${tag}`;

/** The store with every append checked. All writes of a process pass here, whichever command makes them. */
export function withTagLocks(store: EventStore, locks: TagLocks): EventStore {
  const checked: Pick<EventStore, 'append'> = {
    append: async (stream, events, options) => {
      locks.assertWritable(events);
      return store.append(stream, events, options);
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return checked.append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
