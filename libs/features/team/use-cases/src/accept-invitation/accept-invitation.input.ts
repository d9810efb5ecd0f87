import { IsFlag, IsText, Required, ShownBy } from '#platform/input';
import { AcceptInvitation } from './accept-invitation.command.ts';

/** The acceptance of an invitation. */
@ShownBy({ 'Accept an invitation': { token: 'inv_…', name: 'Ada Lovelace' } })
export class AcceptInvitationInput {
  /** The token of the invitation. */
  @Required()
  @IsText({ min: 1, max: 200 })
  token!: string;

  /** Name of the person, for the list of members. */
  @IsText({ min: 1, max: 200, wellFormed: true })
  name?: string;

  /** `true`: the browser gets a session, and the answer has no key. Default: false. */
  @IsFlag()
  session?: boolean;
}

export const acceptInvitation = ({ token, name }: AcceptInvitationInput): AcceptInvitation =>
  new AcceptInvitation(token, name ?? null);
