import type { ErasedEvent, Recorded } from '#platform/kernel';
import type { ContainerTagEvent } from './events.ts';
import { type ContainerTagState, NO_VALUES } from './state.ts';

export function evolveTag(
  state: ContainerTagState,
  event: Recorded<ContainerTagEvent> | ErasedEvent,
): ContainerTagState {
  switch (event.type) {
    case 'ContainerTagChanged': {
      const {
        containerTag: tag,
        memoryFilesystemPathsAdded = [],
        profileBucketsAdded = [],
        ...changes
      } = event.payload;
      const at = Date.parse(event.at);
      const before = state.status === 'set' ? state : { ...NO_VALUES, createdAt: at };
      const next = { ...before, ...changes, status: 'set' as const, tag, updatedAt: at };
      return {
        ...next,
        memoryFilesystemPaths:
          memoryFilesystemPathsAdded.length === 0
            ? next.memoryFilesystemPaths
            : [...(next.memoryFilesystemPaths ?? []), ...memoryFilesystemPathsAdded],
        profileBuckets: [...next.profileBuckets, ...profileBucketsAdded],
      };
    }
    case 'ContainerTagRemoved':
      return { status: 'removed' };
    case 'erased':
      return state;
  }
}
