import type { MemberRights, Members } from '#features/access';
import { type Clock, type OrganizationId, type Principal, systemClock } from '#platform/kernel';
import { FollowedStates, type RecordedEvent } from '#ports/event-store';
import { isPending } from './decide.ts';
import { foldMember } from './evolve.ts';
import { isSameAddress } from './same-address.ts';
import { absent, type Identity, type Invitation, type Member, type MemberState } from './state.ts';
import { memberIdIn } from './streams.ts';

/** The members and invitations of the log in memory, of all organizations. */
export class Team implements Members {
  readonly categories = ['member'];
  readonly #clock: Clock;
  readonly #states = new FollowedStates<MemberState>({
    ...{ idIn: memberIdIn, initialState: absent, evolve: foldMember },
    onChange: (id, state, former) => {
      if (former?.status === 'invited') this.#invited.delete(former.invitation.hash);
      if (state.status === 'invited') this.#invited.set(state.invitation.hash, id);
      this.#note(id, state, former);
    },
  });
  /** Ids by the hash of the token. */
  readonly #invited = new Map<string, string>();
  /** Ids by the account with which a person signs in. */
  readonly #identified = new Map<string, Set<string>>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** As of `FollowedStates`. */
  apply(event: RecordedEvent): void {
    this.#states.apply(event);
  }

  /** As of `FollowedStates`. */
  set(id: string, state: MemberState, revision: number): void {
    this.#states.set(id, state, revision);
  }

  rightsOf(id: string): MemberRights | null {
    return this.#member(id);
  }

  /** Null: the key belongs to the organization. */
  memberOf({ member }: Pick<Principal, 'member'>): Member | null {
    return member === undefined ? null : this.#member(member);
  }

  /** The memberships of the person with an account, in all organizations; the first joined first. */
  identifiedBy(identity: Identity): readonly Member[] {
    const ids = [...(this.#identified.get(nameOf(identity)) ?? [])];
    return ids.flatMap((id) => this.#member(id) ?? []).sort((a, b) => a.createdAt - b.createdAt);
  }

  /** The members with an address, in all organizations. */
  membersAt(email: string): readonly Member[] {
    const members = this.#states.states().flatMap((state) => (state.status === 'joined' ? [state.member] : []));
    return members.filter((member) => isSameAddress(member.email, email));
  }

  /** The pending invitations of an address, of all organizations. */
  invitationsAt(email: string): readonly Invitation[] {
    const now = this.#clock.now();
    return this.#invitations().filter((one) => isPending(one, now) && isSameAddress(one.email, email));
  }

  /** The members of an organization, the first joined first. */
  members(organization: OrganizationId): readonly Member[] {
    const members = this.#states.states().flatMap((state) => (state.status === 'joined' ? [state.member] : []));
    return ofOrganization(members, organization);
  }

  /** The pending invitations of an organization, the first made first. */
  invitations(organization: OrganizationId): readonly Invitation[] {
    return ofOrganization(
      this.#invitations().filter((invitation) => isPending(invitation, this.#clock.now())),
      organization,
    );
  }

  /** The pending invitation of a token. @param hash of the token */
  invitation(hash: string): Invitation | null {
    const id = this.#invited.get(hash);
    const state = id === undefined ? undefined : this.#states.get(id);
    return state?.status === 'invited' && isPending(state.invitation, this.#clock.now()) ? state.invitation : null;
  }

  /** The invitations of all organizations that are over and still stand in the log. */
  expired(): readonly Invitation[] {
    return this.#invitations().filter((invitation) => !isPending(invitation, this.#clock.now()));
  }

  #member(id: string): Member | null {
    const state = this.#states.get(id);
    return state?.status === 'joined' ? state.member : null;
  }

  #note(id: string, state: MemberState, former: MemberState | undefined): void {
    const before = former?.status === 'joined' ? former.member.identity : null;
    const now = state.status === 'joined' ? state.member.identity : null;
    if (before !== null) this.#identified.get(nameOf(before))?.delete(id);
    if (now === null) return;
    const ids = this.#identified.get(nameOf(now)) ?? new Set();
    this.#identified.set(nameOf(now), ids.add(id));
  }

  #invitations(): readonly Invitation[] {
    return [...this.#invited.values()].flatMap((id) => {
      const state = this.#states.get(id);
      return state?.status === 'invited' ? [state.invitation] : [];
    });
  }
}

const nameOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject]);

const ofOrganization = <P extends Member | Invitation>(people: readonly P[], organization: OrganizationId) =>
  people.filter((one) => one.organization === organization).sort((a, b) => a.createdAt - b.createdAt);
