import { CreateProject, DeleteProject } from '#features/container-tags/use-cases';
import { IsNotBlank, IsOneOf, IsText, invalid, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';

/** The project to create. */
@ShownBy({
  'A project': { name: 'Winter hikes', emoji: '🥾' },
})
export class CreateProjectBody {
  /** 1 to 100 characters. */
  @Required()
  @IsText({ min: 1, max: 100, wellFormed: true })
  name!: string;

  /** For display only. */
  @IsText({ min: 1, max: 10 })
  emoji?: string;
}

/** What happens to the documents of the project. */
@ShownBy({
  'With its documents': { action: 'delete' },
})
export class DeleteProjectBody {
  /** delete: erases the documents; documents with another tag lose only this one. */
  @Required()
  @IsOneOf(['move', 'delete'])
  action!: 'move' | 'delete';

  /** Id of the project that gets the documents. Required for move. */
  @IsNotBlank()
  targetProjectId?: string;
}

export function createProject(principal: Principal, { name, emoji }: CreateProjectBody): CreateProject {
  return new CreateProject(principal, name, emoji ?? null);
}

export function deleteProject(
  principal: Principal,
  id: string,
  { action, targetProjectId }: DeleteProjectBody,
): DeleteProject {
  if (action === 'move' && targetProjectId === undefined) {
    throw invalid('targetProjectId', 'targetProjectId is required when action is move');
  }
  const target = action === 'move' ? (targetProjectId ?? null) : null;
  return new DeleteProject(principal, id, target);
}
