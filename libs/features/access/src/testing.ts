import type { OrganizationId } from '#platform/kernel';
import type { IssuedKey } from './key.ts';

/** A key for tests: an owner key of the organization `acme`. */
export const issuedKey = (key: Partial<IssuedKey> & Pick<IssuedKey, 'hash'>): IssuedKey => ({
  ...{ id: 'k1', organization: 'acme' as OrganizationId, role: 'owner', name: 'key', start: 'sm_', limits: {} },
  ...{ isEnabled: true, createdAt: 0 },
  ...key,
});
