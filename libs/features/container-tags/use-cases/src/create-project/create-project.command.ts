import { Command } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { ContainerTagView } from '../container-tag-view.ts';

/** Creates a tag with a name: `sm_project_` and the name in lower case, with a number if that exists. */
export class CreateProject extends Command<ContainerTagView> {
  constructor(
    readonly principal: Principal,
    readonly name: string,
    readonly emoji: string | null,
  ) {
    super();
  }
}
