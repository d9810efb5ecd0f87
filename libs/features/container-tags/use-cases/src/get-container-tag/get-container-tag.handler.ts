import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ContainerTagRepository } from '#features/container-tags';
import { err, ok, type Result, scopeOf } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';
import { carriedTags } from '../carried-tags.ts';
import { type ContainerTagDetails, detailsOf } from '../container-tag-view.ts';
import { GetContainerTag, type TagRefusal } from './get-container-tag.query.ts';

@QueryHandler(GetContainerTag)
export class GetContainerTagHandler implements IQueryHandler<GetContainerTag> {
  constructor(
    private readonly tags: ContainerTagRepository,
    private readonly views: CurrentViews,
  ) {}

  async execute({ principal, tag }: GetContainerTag): Promise<Result<ContainerTagDetails, TagRefusal>> {
    const scope = scopeOf(principal, [tag]);
    const state = await this.tags.load(scope, tag);
    if (!state.ok) return state;
    const { carried } = await carriedTags(this.views, scope.organization, [tag]);
    const details = detailsOf(tag, state.value, carried.get(tag));
    return details === null ? err('tag_not_found') : ok(details);
  }
}
