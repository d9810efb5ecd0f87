import { err, ok, type Result } from '#platform/kernel';
import type { TagMergeEvent } from './events.ts';
import type { MergeStage, TagMerge, TagMerges } from './state.ts';

/** `tag_merging`: a running merge has one of the sources, or has the target as a source. */
export function decideMergeStart(
  { running }: TagMerges,
  target: string,
  sources: readonly string[],
): Result<readonly TagMergeEvent[], 'tag_merging'> {
  const isBusy = running.some(
    (other) =>
      other.sources.includes(target) ||
      sources.some((source) => other.sources.includes(source) || other.target === source),
  );
  return isBusy ? err('tag_merging') : ok([{ type: 'TagMergeStarted', payload: null }]);
}

/** Records nothing about a merge that has ended. */
export function decideMergeEvent(state: TagMerges, id: string, event: TagMergeEvent): readonly TagMergeEvent[] {
  return state.running.some((merge) => merge.id === id) ? [event] : [];
}

export const progressEvent = (
  { documents, completed, attempt }: Pick<TagMerge, 'documents' | 'completed' | 'attempt'>,
  stage: MergeStage,
): TagMergeEvent => ({
  ...{ type: 'TagMergeProgressed', payload: null, stage, attempt },
  sizes: { documents, sources: completed },
});

/** Returns the tags of a document after the merge: the target in the place of the first source. */
export function mergedTags(
  tags: readonly string[],
  { target, sources }: Pick<TagMerge, 'target' | 'sources'>,
): string[] {
  return [...new Set(tags.map((tag) => (sources.includes(tag) ? target : tag)))];
}
