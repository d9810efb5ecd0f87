import { IsText, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { CreateProject } from './create-project.command.ts';

/** The project to create. */
@ShownBy({
  'A project': { name: 'Winter hikes', emoji: '🥾' },
})
export class CreateProjectInput {
  /** 1 to 100 characters. */
  @Required()
  @IsText({ min: 1, max: 100, wellFormed: true })
  name!: string;

  /** For display only. */
  @IsText({ min: 1, max: 10 })
  emoji?: string;
}

export function createProject(principal: Principal, { name, emoji }: CreateProjectInput): CreateProject {
  return new CreateProject(principal, name, emoji ?? null);
}
