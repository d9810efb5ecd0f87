export { IssuedKeys } from './api-keys.ts';
export { createOrganization } from './founding.ts';
export { type IssuedKey, KEY_EVENTS, type KeyClient, type KeyLimits } from './key.ts';
export { keyShown, type OwnerKey } from './key-file.ts';
export { KEY_TYPES, readKeyEvents } from './key-log.ts';
export { type KeyRefusal, KeyRepository } from './key-repository.ts';
export { generateKey, KEY_FORMAT, type KeyWish, newKey, tokenOfKey } from './keys.ts';
export { KnownOrganizations } from './known-organizations.ts';
export { kept, type MemberRights, type Members, principalOfMember } from './members.ts';
export { openAccess } from './open-access.ts';
export { installationKeyOf, operatorIn } from './operator.ts';
export {
  type ChangeRefusal,
  type DeleteRefusal,
  FOUNDING_STREAM,
  ORGANIZATION_EVENTS,
  type Organization,
  type OrganizationChanges,
  organizationStream,
} from './organization.ts';
export { OrganizationRepository } from './organization-repository.ts';
export { Organizations, organizationsOf } from './organizations.ts';
export { API_KEYS, type ApiKeys } from './port.ts';
export { principalOf } from './principal.ts';
export { StoredKeys } from './stored-keys.ts';
