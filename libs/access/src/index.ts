export { KEY_EVENTS, type KeyEvent } from './key.ts';
export { createKeyRing, type KeyRecord, type MemoryKeyRing } from './key-ring.ts';
export { generateKey, hashKey, KEY_FORMAT } from './keys.ts';
export { type Access, type AccessOptions, issuedKey, openAccess } from './open-access.ts';
export { ORGANIZATION_EVENTS, type OrganizationEvent } from './organization.ts';
export { KEY_RING, type KeyRing } from './port.ts';
export { StoredKeys } from './stored-keys.ts';
