import { Command } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';

/** Sets the entity context of tags that have none; the others, and tags that the principal may not write, keep what they have. */
export class AddEntityContext extends Command<void> {
  constructor(
    readonly principal: Principal,
    readonly tags: readonly string[],
    readonly entityContext: string,
  ) {
    super();
  }
}
