import { IsOneOf, invalid, ShownBy } from '#platform/input';
import type { Principal, Role } from '#platform/kernel';
import { TagAccessInput, tagsOf } from '../tag-access.input.ts';
import { ChangeMember } from './change-member.command.ts';

/** What to change of a member. Fields that are not sent stay. */
@ShownBy({
  'Make an admin of a member': { role: 'admin', accessType: 'full' },
  'Confine a member to a tag': {
    role: 'member',
    accessType: 'restricted',
    containerTags: [{ containerTag: 'handbook', permission: 'read' }],
  },
})
export class ChangeMemberInput extends TagAccessInput {
  /** At most the role of the key. */
  @IsOneOf(['owner', 'admin', 'member'])
  role?: Role;
}

export function changeMember(principal: Principal, id: string, body: ChangeMemberInput): ChangeMember {
  const { role } = body;
  const containerTags = tagsOf(body);
  if (role === undefined && containerTags === undefined) {
    throw invalid('body', 'The body must name a field to change');
  }
  return new ChangeMember(principal, id, {
    ...(role !== undefined && { role }),
    ...(containerTags !== undefined && { containerTags }),
  });
}
