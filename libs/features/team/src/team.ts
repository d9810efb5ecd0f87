import type { MemberRights, Members } from '#features/access';
import { type Clock, type OrganizationId, type Principal, systemClock } from '#platform/kernel';
import { FollowedStates, type RecordedEvent } from '#ports/event-store';
import { isPending } from './decide.ts';
import { foldMember } from './evolve.ts';
import { absent, type Invitation, type Member, type MemberState } from './state.ts';
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
    },
  });
  /** Ids by the hash of the token. */
  readonly #invited = new Map<string, string>();

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

  #invitations(): readonly Invitation[] {
    return [...this.#invited.values()].flatMap((id) => {
      const state = this.#states.get(id);
      return state?.status === 'invited' ? [state.invitation] : [];
    });
  }
}

const ofOrganization = <P extends Member | Invitation>(people: readonly P[], organization: OrganizationId) =>
  people.filter((one) => one.organization === organization).sort((a, b) => a.createdAt - b.createdAt);
