import { Command } from '@nestjs/cqrs';
import type { AccessScope } from '#platform/kernel';

/** Sets the entity context of tags that have none; the others, and tags outside the scope, keep what they have. */
export class AddEntityContext extends Command<void> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  readonly tags: readonly string[];
  readonly entityContext: string;

  constructor(scope: AccessScope, actor: string, tags: readonly string[], entityContext: string) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tags = tags;
    this.entityContext = entityContext;
  }
}
