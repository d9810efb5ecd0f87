import { err, newId, type OrganizationId, ok, type Result, type Role, type TagPermission } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import {
  decideAdmit,
  decideChange,
  decideExpire,
  decideIdentify,
  decideInvite,
  decideJoin,
  decideMailed,
  decideNoOwner,
  decideOwner,
  decideRemove,
  decideWithdraw,
  type Joining,
  type Manager,
  type MemberChanges,
  type TeamRefusal,
} from './decide.ts';
import { MEMBER_EVENTS, type MemberEvent, OWNERS_EVENTS, type OwnersEvent } from './events.ts';
import { foldMember, foldOwners } from './evolve.ts';
import { isSameAddress } from './same-address.ts';
import {
  absent,
  type Identity,
  type Invitation,
  type Member,
  type MemberState,
  noOwners,
  type OwnersState,
} from './state.ts';
import { memberStream, ownersStream } from './streams.ts';
import type { Team } from './team.ts';
import { hashToken, newToken } from './tokens.ts';

const MEMBER: Model<MemberState> = { name: 'member', version: 2, initialState: absent, evolve: foldMember };
const OWNERS: Model<OwnersState> = { name: 'owners', version: 1, initialState: noOwners, evolve: foldOwners };

const VALID_MS = 7 * 86_400_000;

/** Who is invited, as what. */
export interface InvitationWish {
  readonly email: string;
  readonly role: Role;
  /** Null: all tags. */
  readonly containerTags: readonly TagPermission[] | null;
}

/** Who becomes a member without an invitation. */
export interface Admission {
  readonly organization: OrganizationId;
  readonly email: string;
  readonly name: string | null;
  readonly identity: Identity;
}

export interface NewInvitation {
  readonly invitation: Invitation;
  /** To show once. */
  readonly token: string;
}

/** Invites, changes and removes members. It counts in this process before the call resolves. */
export class TeamRepository {
  readonly #handler: CommandHandler;
  readonly #team: Team;

  constructor(handler: CommandHandler, team: Team) {
    this.#handler = handler;
    this.#team = team;
  }

  /**
   * Invites a person for seven days, in place of former invitations of the same address.
   * @param now milliseconds since the Unix epoch
   */
  async invite(
    by: Manager,
    cause: Cause,
    wish: InvitationWish,
    now: number,
  ): Promise<Result<NewInvitation, TeamRefusal>> {
    const { organization } = by;
    if (this.#hasMember(organization, wish.email)) return err('already_member');
    const token = newToken();
    const payload = { ...wish, id: newId(), hash: hashToken(token), expiresAt: now + VALID_MS };
    for (const { id, email } of this.#team.invitations(organization)) {
      if (!isSameAddress(email, wish.email)) continue;
      const withdrawn = await this.withdraw(by, cause, id);
      if (!withdrawn.ok && withdrawn.error !== 'invitation_not_found') return withdrawn;
    }
    const invited = await this.#execute(organization, cause, payload.id, () => decideInvite(by, payload));
    if (!invited.ok) return invited;
    return invited.value.status === 'invited'
      ? ok({ invitation: invited.value.invitation, token })
      : err('invitation_not_found');
  }

  /** Notes what became of the mail with the link. @param error null: it was sent */
  async mailed({ id, organization }: Invitation, cause: Cause, error: string | null): Promise<void> {
    await this.#execute(organization, cause, id, (state) => ok(decideMailed(state, error)));
  }

  withdraw(by: Manager, cause: Cause, id: string): Promise<Result<MemberState, TeamRefusal>> {
    return this.#execute(by.organization, cause, id, (state) => decideWithdraw(state, by), 'erase');
  }

  /** Erases an invitation that is over. */
  async expire({ id, organization }: Invitation): Promise<void> {
    await this.#execute(organization, systemCause(), id, (state, now) => ok(decideExpire(state, now)), 'erase');
  }

  /** The person becomes a member, by the invitation. */
  async join(
    { id, organization, email }: Invitation,
    cause: Cause,
    joining: Joining,
  ): Promise<Result<Member, TeamRefusal>> {
    if (this.#hasMember(organization, email)) return err('already_member');
    const joined = await this.#execute(organization, cause, id, (state, now) => decideJoin(state, joining, now));
    return joined.ok ? this.#counted(joined.value, cause) : joined;
  }

  /** A person who was not invited becomes a member, who reaches no tag before an admin permits some. */
  async admit(
    id: string,
    cause: Cause,
    { organization, email, name, identity }: Admission,
  ): Promise<Result<Member, TeamRefusal>> {
    if (this.#hasMember(organization, email)) return err('already_member');
    const payload = { id, email, name, role: 'member' as const, containerTags: [] };
    const admitted = await this.#execute(organization, cause, id, () => ok(decideAdmit(payload, identity)));
    return admitted.ok ? this.#counted(admitted.value, cause) : admitted;
  }

  /** The account identifies the member from now on. */
  async identify(
    { id, organization }: Pick<Member, 'id' | 'organization'>,
    cause: Cause,
    identity: Identity,
  ): Promise<Result<Member, TeamRefusal>> {
    const identified = await this.#execute(organization, cause, id, (state) => decideIdentify(state, identity));
    return identified.ok ? this.#counted(identified.value, cause) : identified;
  }

  async change(by: Manager, cause: Cause, id: string, changes: MemberChanges): Promise<Result<Member, TeamRefusal>> {
    const { state } = await this.#handler.load(memberStream(id), MEMBER);
    const decided = decideChange(state, by, changes);
    if (!decided.ok) return decided;
    if (changes.role !== undefined && changes.role !== 'owner') {
      const free = await this.#endOwnership(by.organization, cause, id);
      if (!free.ok) return free;
    }
    const changed = await this.#execute(by.organization, cause, id, (current) => decideChange(current, by, changes));
    return changed.ok ? this.#counted(changed.value, cause) : changed;
  }

  /** Ends the membership, and with it the keys of the member. */
  async remove(by: Manager, cause: Cause, id: string): Promise<Result<MemberState, TeamRefusal>> {
    const { state } = await this.#handler.load(memberStream(id), MEMBER);
    const decided = decideRemove(state, by);
    if (!decided.ok) return decided;
    const free = await this.#endOwnership(by.organization, cause, id);
    if (!free.ok) return free;
    return this.#execute(by.organization, cause, id, (current) => decideRemove(current, by), 'erase');
  }

  /** Who has become an owner counts as one from now on; a crash before this leaves the others better protected. */
  async #counted(state: MemberState, cause: Cause): Promise<Result<Member, TeamRefusal>> {
    if (state.status !== 'joined') return err('member_not_found');
    const { id, organization, role } = state.member;
    if (role === 'owner') await this.#owners(organization, cause, (owners) => ok(decideOwner(owners, id)));
    return ok(state.member);
  }

  #endOwnership(organization: OrganizationId, cause: Cause, id: string) {
    return this.#owners(organization, cause, (owners) => decideNoOwner(owners, id));
  }

  #owners(
    organization: OrganizationId,
    cause: Cause,
    decide: (state: OwnersState) => Result<readonly OwnersEvent[], TeamRefusal>,
  ) {
    return this.#handler.execute<OwnersState, TeamRefusal>({
      ...{ stream: ownersStream(organization), model: OWNERS },
      decide: (state, _revision, now) => {
        const events = decide(state);
        return events.ok ? ok(record(OWNERS_EVENTS, events.value, { organization, cause, tags: [], now })) : events;
      },
    });
  }

  async #execute(
    organization: OrganizationId,
    cause: Cause,
    id: string,
    decide: (state: MemberState, now: number) => Result<readonly MemberEvent[], TeamRefusal>,
    erase?: 'erase',
  ): Promise<Result<MemberState, TeamRefusal>> {
    const done = await this.#handler.execute<MemberState, TeamRefusal>({
      ...{ stream: memberStream(id), model: MEMBER },
      decide: (state, _revision, now) => {
        const decided = decide(state, now);
        if (!decided.ok) return decided;
        const events = record(MEMBER_EVENTS, decided.value, { organization, cause, tags: [], now });
        return ok(erase ? { events, erase: true } : events);
      },
    });
    if (!done.ok) return done;
    const { state, revision } = done.value;
    if (revision !== 'no-stream') this.#team.set(id, state, revision);
    return ok(state);
  }

  #hasMember(organization: OrganizationId, email: string): boolean {
    return this.#team.members(organization).some((member) => isSameAddress(member.email, email));
  }
}
