import { setTimeout as pause } from 'node:timers/promises';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isProject, TagMergeRepository } from '#features/container-tags';
import { actorOf, err, ok, type Principal, type Result, writeScope } from '#platform/kernel';
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

  async execute({ principal, id, targetId }: DeleteProject): Promise<Result<DeletedTag, DeleteProjectRefusal>> {
    const writable = { ...principal, tags: principal.writableTags };
    const projects = (await this.list.execute(new ListContainerTags(writable))).filter(({ tag }) => isProject(tag));
    const project = projects.find((one) => one.id === id);
    if (project === undefined) return err('project_not_found');
    if (targetId === null) return this.deletion.delete(writeScope(principal), actorOf(principal), project.tag);
    const target = projects.find((one) => one.id === targetId);
    if (target === undefined || target === project) return err('no_target');
    return this.move(principal, project, target);
  }

  private async move(
    principal: Principal,
    { tag, documents, memories }: ContainerTagView,
    target: ContainerTagView,
  ): Promise<Result<DeletedTag, DeleteProjectRefusal>> {
    const { organization } = principal;
    const cause = requestCause(actorOf(principal));
    const started = await this.merges.start(organization, cause, { target: target.tag, sources: [tag] });
    if (!started.ok) return started;
    const isRunning = async () =>
      (await this.merges.load(organization)).running.some((merge) => merge.id === cause.correlationId);
    for (let waited = 0; waited < MOVE_WAIT_MS && (await isRunning()); waited += LOOK_MS) await pause(LOOK_MS);
    return ok({ documents, memories });
  }
}
