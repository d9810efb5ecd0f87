import { IsNotBlank, IsOneOf, invalid, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { DeleteProject } from './delete-project.command.ts';

/** What happens to the documents of the project. */
@ShownBy({
  'With its documents': { action: 'delete' },
})
export class DeleteProjectInput {
  /** delete: erases the documents; documents with another tag lose only this one. */
  @Required()
  @IsOneOf(['move', 'delete'])
  action!: 'move' | 'delete';

  /** Id of the project that gets the documents. Required for move. */
  @IsNotBlank()
  targetProjectId?: string;
}

export function deleteProject(
  principal: Principal,
  id: string,
  { action, targetProjectId }: DeleteProjectInput,
): DeleteProject {
  if (action === 'move' && targetProjectId === undefined) {
    throw invalid('targetProjectId', 'targetProjectId is required when action is move');
  }
  const target = action === 'move' ? (targetProjectId ?? null) : null;
  return new DeleteProject(principal, id, target);
}
