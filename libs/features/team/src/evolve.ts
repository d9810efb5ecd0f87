import { type ErasedEvent, foldWith, type OrganizationId, type Recorded } from '#platform/kernel';
import { MEMBER_EVENTS, type MemberEvent, OWNERS_EVENTS, type OwnersEvent } from './events.ts';
import type { MemberState, OwnersState } from './state.ts';

function evolveMember(state: MemberState, event: Recorded<MemberEvent> | ErasedEvent): MemberState {
  switch (event.type) {
    case 'MemberInvited': {
      const organization = event.organization as OrganizationId;
      return {
        status: 'invited',
        invitation: { ...event.payload, organization, createdAt: Date.parse(event.at), mail: null },
      };
    }
    case 'InvitationMailed':
      return state.status === 'invited'
        ? { ...state, invitation: { ...state.invitation, mail: event.payload } }
        : state;
    case 'MemberJoined': {
      if (state.status !== 'invited') return state;
      const { id, organization, email, role, containerTags } = state.invitation;
      const { name } = event.payload;
      const createdAt = Date.parse(event.at);
      const member = { id, organization, email, name, role, containerTags, createdAt, identity: null };
      return { status: 'joined', member };
    }
    case 'MemberAdmitted': {
      const organization = event.organization as OrganizationId;
      const member = { ...event.payload, organization, createdAt: Date.parse(event.at), identity: null };
      return { status: 'joined', member };
    }
    case 'MemberIdentified': {
      const { issuer, subject } = event.payload;
      return state.status === 'joined'
        ? { ...state, member: { ...state.member, identity: { issuer, subject } } }
        : state;
    }
    case 'MemberChanged':
      return state.status === 'joined' ? { ...state, member: { ...state.member, ...event.payload } } : state;
    case 'InvitationWithdrawn':
    case 'InvitationExpired':
    case 'MemberRemoved':
      return { status: 'ended' };
    case 'erased':
      return state;
  }
}

function evolveOwners(state: OwnersState, event: Recorded<OwnersEvent> | ErasedEvent): OwnersState {
  switch (event.type) {
    case 'OwnerAdded':
      return [...state, event.payload.id];
    case 'OwnerRemoved':
      return state.filter((id) => id !== event.payload.id);
    case 'erased':
      return state;
  }
}

export const foldMember = foldWith(MEMBER_EVENTS, evolveMember);
export const foldOwners = foldWith(OWNERS_EVENTS, evolveOwners);
