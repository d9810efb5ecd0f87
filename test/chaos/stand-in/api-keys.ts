import { IssuedKeys as KeysOfLog } from '#features/access';
import type { OrganizationId, Principal } from '#platform/kernel';
import { KEYS, SECOND_ORGANIZATION } from '../keys.ts';

/**
 * Replaces the class of this name in a server of the tests, for keys that the log does not know: those of a second
 * organization, which no request can create.
 */
export class IssuedKeys extends KeysOfLog {
  override authenticate(secret: string): Principal | null {
    const key = KEYS.find((one) => one.secret === secret);
    if (key === undefined || key.isOwner) return super.authenticate(secret);
    const owner = KEYS.find(({ isOwner }) => isOwner);
    const first = owner && super.authenticate(owner.secret);
    if (first == null) return null;
    const organization = key.organization === 'first' ? first.organization : (SECOND_ORGANIZATION as OrganizationId);
    const tags = key.isLimited ? [...key.tags] : 'all';
    return { organization, keyId: `chaos-${key.name}`, role: 'owner', tags, writableTags: tags };
  }
}
