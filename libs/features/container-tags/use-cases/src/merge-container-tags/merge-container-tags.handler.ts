import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ContainerTagRepository, TagMergeRepository } from '#features/container-tags';
import { actorOf, err, ok, permitsEach, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { carriedTags } from '../carried-tags.ts';
import { MergeContainerTags, type MergeRefusal, type QueuedMerge } from './merge-container-tags.command.ts';

@CommandHandler(MergeContainerTags)
export class MergeContainerTagsHandler implements ICommandHandler<MergeContainerTags> {
  constructor(
    private readonly merges: TagMergeRepository,
    private readonly tags: ContainerTagRepository,
    private readonly views: CurrentViews,
  ) {}

  async execute({ principal, tags, target }: MergeContainerTags): Promise<Result<QueuedMerge, MergeRefusal>> {
    const scope = writeScope(principal);
    const { organization } = scope;
    const sources = [...new Set(tags)].filter((tag) => tag !== target);
    if (sources.length === 0) return err('no_source');
    if (!permitsEach(scope, [...sources, target])) return err('forbidden');
    const { carried } = await carriedTags(this.views, organization, sources);
    for (const source of sources) {
      if (carried.has(source)) continue;
      const values = await this.tags.load(scope, source);
      if (!values.ok) return values;
      if (values.value.status !== 'set') return err('tag_not_found');
    }
    const cause = requestCause(actorOf(principal));
    const started = await this.merges.start(organization, cause, { target, sources });
    return started.ok ? ok({ id: cause.correlationId, target, sources }) : started;
  }
}
