import {
  type ErasedEvent,
  type EventCatalogue,
  type EventOf,
  err,
  foldWith,
  type OrganizationId,
  ok,
  type Recorded,
  type Result,
} from '#platform/kernel';

export type OrganizationFounded = EventOf<'OrganizationFounded', { readonly name: string }>;
export type OrganizationRenamed = EventOf<'OrganizationRenamed', { readonly name: string }>;
/** Its keys are refused with 403 until it is resumed. */
export type OrganizationSuspended = EventOf<'OrganizationSuspended', null>;
export type OrganizationResumed = EventOf<'OrganizationResumed', null>;
/** Its keys are unknown from now on, and everything that it has is erased. */
export type OrganizationDeletionRequested = EventOf<'OrganizationDeletionRequested', null>;
/** Everything is erased. The last event of its stream, which it erases. */
export type OrganizationDeleted = EventOf<'OrganizationDeleted', null>;
/** In the stream `organization-founding`: the first claim decides the id of the organization. */
export type FoundingClaimed = EventOf<'NameClaimed', { readonly documentId: string; readonly fingerprint: null }>;
export type OrganizationEvent =
  | OrganizationFounded
  | OrganizationRenamed
  | OrganizationSuspended
  | OrganizationResumed
  | OrganizationDeletionRequested
  | OrganizationDeleted
  | FoundingClaimed;

export const ORGANIZATION_EVENTS: EventCatalogue<OrganizationEvent> = {
  OrganizationFounded: { version: 1, payload: true },
  OrganizationRenamed: { version: 1, payload: true },
  OrganizationSuspended: { version: 1, payload: false },
  OrganizationResumed: { version: 1, payload: false },
  OrganizationDeletionRequested: { version: 1, payload: false },
  OrganizationDeleted: { version: 1, payload: false },
  NameClaimed: { version: 1, payload: true },
};

/** An organization that is not deleted. `deleting`: what it has is being erased. */
export interface Organization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly state: 'active' | 'suspended' | 'deleting';
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export type OrganizationState =
  | { readonly status: 'absent' }
  | { readonly status: 'deleted' }
  | { readonly status: 'present'; readonly organization: Organization };

export const initialOrganization: OrganizationState = { status: 'absent' };

function evolve(before: OrganizationState, event: Recorded<OrganizationEvent> | ErasedEvent): OrganizationState {
  if (event.type === 'OrganizationFounded') {
    const id = event.organization as OrganizationId;
    const organization = { id, name: event.payload.name, state: 'active', createdAt: Date.parse(event.at) } as const;
    return { status: 'present', organization };
  }
  if (event.type === 'OrganizationDeleted') return { status: 'deleted' };
  if (before.status !== 'present') return before;
  const become = (change: Partial<Organization>): OrganizationState => ({
    status: 'present',
    organization: { ...before.organization, ...change },
  });
  switch (event.type) {
    case 'OrganizationRenamed':
      return become({ name: event.payload.name });
    case 'OrganizationSuspended':
      return become({ state: 'suspended' });
    case 'OrganizationResumed':
      return become({ state: 'active' });
    case 'OrganizationDeletionRequested':
      return become({ state: 'deleting' });
    case 'NameClaimed':
    case 'erased':
      return before;
  }
}

export const foldOrganization = foldWith(ORGANIZATION_EVENTS, evolve);

export const FOUNDING_STREAM = 'organization-founding';

const PREFIX = 'organization-';

export const organizationStream = (organization: string): string => PREFIX + organization;

/** The organization whose stream it is. Null: it is the stream of something else. */
export const organizationIn = (stream: string): OrganizationId | null =>
  stream.startsWith(PREFIX) && stream !== FOUNDING_STREAM ? (stream.slice(PREFIX.length) as OrganizationId) : null;

export function decideFound(name: string): readonly [OrganizationFounded] {
  return [{ type: 'OrganizationFounded', payload: { name } }];
}

export function claimFounding(organization: string): readonly [FoundingClaimed] {
  return [{ type: 'NameClaimed', payload: { documentId: organization, fingerprint: null } }];
}

/** What an operator changes of an organization. Absent: it stays. */
export interface OrganizationChanges {
  readonly name?: string;
  readonly isSuspended?: boolean;
}

/** `organization_deleting`: it is being deleted. */
export type ChangeRefusal = 'organization_not_found' | 'organization_deleting';

/** Changes what is different. */
export function decideChange(
  state: OrganizationState,
  { name, isSuspended }: OrganizationChanges,
): Result<readonly OrganizationEvent[], ChangeRefusal> {
  if (state.status !== 'present') return err('organization_not_found');
  const { organization } = state;
  if (organization.state === 'deleting') return err('organization_deleting');
  const events: OrganizationEvent[] = [];
  if (name !== undefined && name !== organization.name) events.push({ type: 'OrganizationRenamed', payload: { name } });
  if (isSuspended !== undefined && isSuspended !== (organization.state === 'suspended')) {
    events.push({ type: isSuspended ? 'OrganizationSuspended' : 'OrganizationResumed', payload: null });
  }
  return ok(events);
}

/** `last_organization`: there is no other one. */
export type DeleteRefusal = 'organization_not_found' | 'last_organization';

/** A second request for the same changes nothing. @param isLast no other organization would be left */
export function decideDeletion(
  state: OrganizationState,
  isLast: boolean,
): Result<readonly OrganizationEvent[], DeleteRefusal> {
  if (state.status !== 'present') return err('organization_not_found');
  if (state.organization.state === 'deleting') return ok([]);
  return isLast ? err('last_organization') : ok([{ type: 'OrganizationDeletionRequested', payload: null }]);
}

/** Given an organization of which everything is erased, then its deletion is complete, once. */
export function decideDeleted(state: OrganizationState): readonly OrganizationDeleted[] {
  const isDeleting = state.status === 'present' && state.organization.state === 'deleting';
  return isDeleting ? [{ type: 'OrganizationDeleted', payload: null }] : [];
}
