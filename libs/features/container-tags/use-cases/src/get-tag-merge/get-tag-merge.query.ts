import { Query } from '@nestjs/cqrs';
import type { TagMerge } from '#features/container-tags';
import type { Principal, Result } from '#platform/kernel';

/** A merge, running or ended. `merge_not_found` also for one of another organization, and long after its end. */
export class GetTagMerge extends Query<Result<TagMerge, 'merge_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
