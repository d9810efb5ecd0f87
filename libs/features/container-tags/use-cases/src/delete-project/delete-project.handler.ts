import { setTimeout as pause } from 'node:timers/promises';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isProject, TagMergeRepository } from '#features/container-tags';
import { type AccessScope, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import type { ContainerTagView } from '../container-tag-view.ts';
import { type DeletedTag, TagDeletion } from '../delete-container-tag/tag-deletion.ts';
import { ListContainerTagsHandler } from '../list-container-tags/list-container-tags.handler.ts';
import { ListContainerTags } from '../list-container-tags/list-container-tags.query.ts';
import { DeleteProject, type DeleteProjectRefusal } from './delete-project.command.ts';

/** How long the answer waits for the documents to be moved; the rest is done in the background. Milliseconds. */
const MOVE_WAIT_MS = 20_000;
const LOOK_MS = 50;

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    private readonly list: ListContainerTagsHandler,
    private readonly deletion: TagDeletion,
    private readonly merges: TagMergeRepository,
  ) {}

  async execute({ scope, actor, id, targetId }: DeleteProject): Promise<Result<DeletedTag, DeleteProjectRefusal>> {
    const projects = (await this.list.execute(new ListContainerTags(scope))).filter(({ tag }) => isProject(tag));
    const project = projects.find((one) => one.id === id);
    if (project === undefined) return err('project_not_found');
    if (targetId === null) return this.deletion.delete(scope, actor, project.tag);
    const target = projects.find((one) => one.id === targetId);
    if (target === undefined || target === project) return err('no_target');
    return this.move(scope, actor, project, target);
  }

  private async move(
    { organization }: AccessScope,
    actor: string,
    { tag, documents, memories }: ContainerTagView,
    target: ContainerTagView,
  ): Promise<Result<DeletedTag, DeleteProjectRefusal>> {
    const cause = requestCause(actor);
    const started = await this.merges.start(organization, cause, { target: target.tag, sources: [tag] });
    if (!started.ok) return started;
    const isRunning = async () =>
      (await this.merges.load(organization)).running.some((merge) => merge.id === cause.correlationId);
    for (let waited = 0; waited < MOVE_WAIT_MS && (await isRunning()); waited += LOOK_MS) await pause(LOOK_MS);
    return ok({ documents, memories });
  }
}
