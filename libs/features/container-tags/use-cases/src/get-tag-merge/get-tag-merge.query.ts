import { Query } from '@nestjs/cqrs';
import type { TagMerge } from '#features/container-tags';
import type { OrganizationId, Result } from '#platform/kernel';

/** A merge, running or ended. `merge_not_found` also for one of another organization, and long after its end. */
export class GetTagMerge extends Query<Result<TagMerge, 'merge_not_found'>> {
  readonly organization: OrganizationId;
  readonly id: string;

  constructor(organization: OrganizationId, id: string) {
    super();
    this.organization = organization;
    this.id = id;
  }
}
