import type { ErasedEvent, EventFacts, Recorded } from '#platform/kernel';
import type { TagMergeEvent } from './events.ts';
import type { MergeStage, TagMerge, TagMerges } from './state.ts';

/** Ended merges that can still be read. */
const REMEMBERED = 1_000;

/** @param envelope of the event: who caused it, and its sizes */
export function evolveMerges(
  state: TagMerges,
  event: Recorded<TagMergeEvent> | ErasedEvent,
  envelope: { readonly actor: string } & Pick<EventFacts, 'sizes'>,
): TagMerges {
  const { correlationId: id, tags } = event;
  const change = (changed: (merge: TagMerge) => TagMerge) => ({
    ...state,
    running: state.running.map((merge) => (merge.id === id ? changed(merge) : merge)),
  });
  const end = (how: Pick<TagMerge, 'status' | 'error'>): TagMerges => {
    const ended = state.running.filter((merge) => merge.id === id).map((merge) => ({ ...merge, ...how }));
    const running = state.running.filter((merge) => merge.id !== id);
    return { running, ended: [...ended, ...state.ended].slice(0, REMEMBERED) };
  };
  switch (event.type) {
    case 'TagMergeStarted': {
      const [target = '', ...sources] = tags;
      const merge: TagMerge = {
        ...{ id, target, sources, actor: envelope.actor, status: 'queued' },
        ...{ documents: 0, completed: 0, attempt: 0, error: null },
      };
      return { ...state, running: [...state.running, merge] };
    }
    case 'TagMergeProgressed': {
      const { documents = 0, sources: completed = 0 } = envelope.sizes ?? {};
      const { stage, attempt } = event;
      return change((merge) => ({ ...merge, status: stage as MergeStage, attempt, documents, completed }));
    }
    case 'TagMergeCompleted':
      return end({ status: 'completed', error: null });
    case 'TagMergeFailed':
      return end({ status: 'failed', error: event.code });
    case 'erased':
      return state;
  }
}
