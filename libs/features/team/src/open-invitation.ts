import type { ApiKeys } from '#features/access';
import type { Invitation } from './state.ts';
import type { Team } from './team.ts';
import { hashToken } from './tokens.ts';

/** Returns the invitation that a token accepts. Null: there is none, or its organization takes nobody in. */
export function openInvitation(
  token: string,
  { team, organizations }: { readonly team: Team; readonly organizations: ApiKeys['organizations'] },
): Invitation | null {
  const invitation = team.invitation(hashToken(token));
  if (invitation === null || organizations.stateOf(invitation.organization) !== 'active') return null;
  return invitation;
}
