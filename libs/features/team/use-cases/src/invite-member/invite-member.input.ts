import { IsEmailAddress, IsOneOf, Required, ShownBy } from '#platform/input';
import type { Principal, Role } from '#platform/kernel';
import { TagAccessInput, tagsOf } from '../tag-access.input.ts';
import { InviteMember } from './invite-member.command.ts';

/** Who is invited. */
@ShownBy({
  'Invite a member': { email: 'ada@example.com' },
  'Invite a member who reads one tag': {
    email: 'grace@example.com',
    containerTags: [{ containerTag: 'handbook', permission: 'read' }],
  },
})
export class InviteMemberInput extends TagAccessInput {
  /** E-mail address of the person. */
  @Required()
  @IsEmailAddress()
  email!: string;

  /** At most the role of the key. Default: member. */
  @IsOneOf(['owner', 'admin', 'member'])
  role?: Role;
}

export function inviteMember(principal: Principal, body: InviteMemberInput): InviteMember {
  const { email, role = 'member' } = body;
  return new InviteMember(principal, { email, role, containerTags: tagsOf(body) ?? null });
}
