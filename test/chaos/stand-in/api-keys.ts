import { createApiKeys as createIssuedKeys, type KeyRecord, type MemoryApiKeys } from '#features/access';
import type { Clock, OrganizationId } from '#platform/kernel';
import { KEYS, SECOND_ORGANIZATION } from '../keys.ts';

/**
 * Replaces the function of this name in a server of the tests. No request of this version can create a second organization
 * or a key with limited tags, but every access to stored data takes a scope.
 */
export function createApiKeys(records?: Iterable<KeyRecord>, clock?: Clock): MemoryApiKeys {
  const issued = createIssuedKeys(records, clock);
  return {
    ...issued,
    authenticate(secret) {
      const key = KEYS.find((one) => one.secret === secret);
      if (key === undefined || key.isOwner) return issued.authenticate(secret);
      const [first] = issued.records();
      if (first === undefined) return null;
      const organization = key.organization === 'first' ? first.organization : (SECOND_ORGANIZATION as OrganizationId);
      const tags = key.isLimited ? [...key.tags] : 'all';
      return { organization, keyId: `chaos-${key.name}`, role: 'owner', tags, writableTags: tags };
    },
  };
}
