import { splitList } from '#platform/kernel';
import type { ContainerTagChanged, ContainerTagEvent } from './events.ts';
import { type ContainerTagState, NO_VALUES, type TagValues } from './state.ts';

/** Bytes of JSON of the part of a list that one event holds. */
const LIST_BYTES = 40_000;

/** @param changes only what is to change; null clears a value */
export function decideTagChange(
  state: ContainerTagState,
  containerTag: string,
  changes: Partial<TagValues>,
): readonly ContainerTagChanged[] {
  const before: TagValues = state.status === 'set' ? state : NO_VALUES;
  const changed = Object.fromEntries(
    Object.entries(changes).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof TagValues]),
    ),
  ) as Partial<TagValues>;
  if (Object.keys(changed).length === 0) return [];
  const { memoryFilesystemPaths: paths, profileBuckets: buckets, ...single } = changed;
  const event = (payload: Omit<ContainerTagChanged['payload'], 'containerTag'>): ContainerTagChanged => ({
    type: 'ContainerTagChanged',
    payload: { containerTag, ...payload },
  });
  const events = Object.keys(single).length === 0 ? [] : [event(single)];
  if (paths === null) events.push(event({ memoryFilesystemPaths: null }));
  else if (paths !== undefined) {
    const [first = [], ...rest] = splitList(paths, LIST_BYTES);
    events.push(event({ memoryFilesystemPaths: first }));
    for (const memoryFilesystemPathsAdded of rest) events.push(event({ memoryFilesystemPathsAdded }));
  }
  if (buckets !== undefined) {
    const [first = [], ...rest] = splitList(buckets, LIST_BYTES);
    events.push(event({ profileBuckets: first }));
    for (const profileBucketsAdded of rest) events.push(event({ profileBucketsAdded }));
  }
  return events;
}

export const removalEvent: ContainerTagEvent = { type: 'ContainerTagRemoved', payload: null };
