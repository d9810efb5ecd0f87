import type { EventCatalogue, EventOf } from '#platform/kernel';

export type OrganizationFounded = EventOf<'OrganizationFounded', { readonly name: string }>;
/** In the stream `organization-founding`: the first claim decides the id of the organization. */
export type FoundingClaimed = EventOf<'NameClaimed', { readonly documentId: string; readonly fingerprint: null }>;
export type OrganizationEvent = OrganizationFounded | FoundingClaimed;

export const ORGANIZATION_EVENTS: EventCatalogue<OrganizationEvent> = {
  OrganizationFounded: { version: 1, payload: true },
  NameClaimed: { version: 1, payload: true },
};

export const FOUNDING_STREAM = 'organization-founding';

export const organizationStream = (organization: string): string => `organization-${organization}`;

export function decideFound(name: string): readonly [OrganizationFounded] {
  return [{ type: 'OrganizationFounded', payload: { name } }];
}

export function claimFounding(organization: string): readonly [FoundingClaimed] {
  return [{ type: 'NameClaimed', payload: { documentId: organization, fingerprint: null } }];
}
