export { CONTAINER_TAG_EVENTS, type ProfileBucket, type Visibility } from './events.ts';
export { mergedTags, progressEvent } from './merges/decide.ts';
export { TAG_MERGE_EVENTS } from './merges/events.ts';
export { TagMergeRepository } from './merges/repository.ts';
export type { MergeStage, TagMerge } from './merges/state.ts';
export { ContainerTagRepository, foldTag } from './repository.ts';
export { type ContainerTagState, initialTag, type TagValues } from './state.ts';
export { isProject, PROJECT_PREFIX, tagId } from './tag-id.ts';
export { LOCK_EVENTS, TagLocks, withTagLocks } from './tag-locks.ts';
