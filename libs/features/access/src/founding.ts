import type { Clock } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { KeyRepository } from './key-repository.ts';
import { newKey } from './keys.ts';
import { operatorIn } from './operator.ts';
import type { Organization } from './organization.ts';
import type { OrganizationRepository } from './organization-repository.ts';

export interface CreateOptions {
  readonly organizations: OrganizationRepository;
  readonly keys: KeyRepository;
  readonly clock: Clock;
}

/** Founds an organization and issues its first owner key. If the process ends in between, the operator makes another key. */
export async function createOrganization(
  { organizations, keys, clock }: CreateOptions,
  name: string,
): Promise<{ readonly organization: Organization; readonly secret: string }> {
  const organization = await organizations.found(systemCause(), name);
  const wish = { name: 'owner', role: 'owner', limits: {}, expiresInDays: null } as const;
  const { secret, payload } = newKey(organization.id, wish, clock.now());
  const issued = await keys.issue(operatorIn(organization), systemCause(), payload);
  if (!issued.ok) throw new Error(`the owner key of a new organization was refused: ${issued.error}`);
  return { organization, secret };
}
