import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';

/** `no_source`: the target is the only tag named. `tag_merging`: another merge works on one of the tags. */
export type MergeRefusal = TagRefusal | 'no_source' | 'tag_merging';

export interface QueuedMerge {
  readonly id: string;
  readonly target: string;
  readonly sources: readonly string[];
}

/** Starts to move all documents of the sources to the target. The work is done in the background. */
export class MergeContainerTags extends Command<Result<QueuedMerge, MergeRefusal>> {
  constructor(
    readonly principal: Principal,
    /** The target among them is no source. */
    readonly tags: readonly string[],
    readonly target: string,
  ) {
    super();
  }
}
