import { hash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '#platform/kernel';
import type { Organization } from './organization.ts';

/**
 * Returns whether a secret is the operator's key. Hashes are compared, so that the time reveals nothing about it.
 * @param key null: there is none
 */
export function installationKeyOf(key: string | null): (secret: string) => boolean {
  if (key === null) return () => false;
  const expected = hash('sha256', key, 'buffer');
  return (secret) => timingSafeEqual(hash('sha256', secret, 'buffer'), expected);
}

/** The operator, who may do in every organization what an owner may do. */
export const operatorIn = ({ id }: Pick<Organization, 'id'>): Principal => ({
  ...{ organization: id, keyId: 'operator', role: 'owner', tags: 'all', writableTags: 'all' },
});
