import { Command } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';

/** Sets the entity context of tags that have none; the others, and tags that the principal may not write, keep what they have. */
export class AddEntityContext extends Command<void> {
  readonly principal: Principal;
  readonly tags: readonly string[];
  readonly entityContext: string;

  constructor(principal: Principal, tags: readonly string[], entityContext: string) {
    super();
    this.principal = principal;
    this.tags = tags;
    this.entityContext = entityContext;
  }
}
