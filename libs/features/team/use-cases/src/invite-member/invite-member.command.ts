import { Command } from '@nestjs/cqrs';
import type { InvitationWish, NewInvitation, TeamRefusal } from '#features/team';
import type { Principal, Result } from '#platform/kernel';

/** Invites a person into the organization, and mails the link if the server sends mail. */
export class InviteMember extends Command<Result<NewInvitation, TeamRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly wish: InvitationWish,
  ) {
    super();
  }
}
