import { Command } from '@nestjs/cqrs';
import type { OrganizationId } from '#platform/kernel';
import type { ContainerTagView } from '../container-tag-view.ts';

/** Creates a tag with a name: `sm_project_` and the name in lower case, with a number if that exists. */
export class CreateProject extends Command<ContainerTagView> {
  readonly organization: OrganizationId;
  /** As events name it. */
  readonly actor: string;
  readonly name: string;
  readonly emoji: string | null;

  constructor(organization: OrganizationId, actor: string, name: string, emoji: string | null) {
    super();
    this.organization = organization;
    this.actor = actor;
    this.name = name;
    this.emoji = emoji;
  }
}
