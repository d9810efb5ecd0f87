import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ContainerTagRepository } from '#features/container-tags';
import { actorOf, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { carriedTags } from '../carried-tags.ts';
import { type ContainerTagDetails, detailsOf } from '../container-tag-view.ts';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';
import { ChangeContainerTag } from './change-container-tag.command.ts';

@CommandHandler(ChangeContainerTag)
export class ChangeContainerTagHandler implements ICommandHandler<ChangeContainerTag> {
  constructor(
    private readonly tags: ContainerTagRepository,
    private readonly views: CurrentViews,
  ) {}

  async execute({ principal, tag, changes }: ChangeContainerTag): Promise<Result<ContainerTagDetails, TagRefusal>> {
    const scope = writeScope(principal);
    const known = await this.tags.load(scope, tag);
    if (!known.ok) return known;
    const { carried } = await carriedTags(this.views, scope.organization, [tag]);
    // Nothing is set on a tag that does not exist.
    if (known.value.status !== 'set' && !carried.has(tag)) return err('tag_not_found');
    const changed = await this.tags.change(scope, tag, requestCause(actorOf(principal)), () => changes);
    if (!changed.ok) return changed;
    const details = detailsOf(tag, changed.value, carried.get(tag));
    return details === null ? err('tag_not_found') : ok(details);
  }
}
