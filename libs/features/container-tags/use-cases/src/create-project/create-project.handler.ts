import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ContainerTagRepository, PROJECT_PREFIX, tagId } from '#features/container-tags';
import { actorOf, slugOf, systemScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { carriedTags } from '../carried-tags.ts';
import type { ContainerTagView } from '../container-tag-view.ts';
import { CreateProject } from './create-project.command.ts';

/** Room for the prefix and a number in a tag of 255 characters. */
const MAX_SLUG = 200;

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    private readonly tags: ContainerTagRepository,
    private readonly views: CurrentViews,
  ) {}

  async execute({ principal, name, emoji }: CreateProject): Promise<ContainerTagView> {
    const { organization } = principal;
    const scope = systemScope(organization);
    const slug = slugOf(name).slice(0, MAX_SLUG) || 'project';
    const cause = requestCause(actorOf(principal));
    for (let number = 1; ; number += 1) {
      const tag = `${PROJECT_PREFIX}${slug}${number === 1 ? '' : `-${number}`}`;
      if ((await carriedTags(this.views, organization, [tag])).carried.has(tag)) continue;
      const created = await this.tags.create(scope, tag, cause, { name, emoji });
      if (!created.ok || created.value.status !== 'set') continue;
      const { createdAt, updatedAt, visibility } = created.value;
      return {
        ...{ id: tagId(organization, tag), tag, name, emoji, visibility, documents: 0, memories: 0 },
        ...{ createdAt, updatedAt, lastActivityAt: null, merge: null },
      };
    }
  }
}
