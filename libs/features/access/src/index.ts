export { createApiKeys, type KeyRecord, type MemoryApiKeys } from './api-keys.ts';
export { KEY_EVENTS } from './key.ts';
export { keyShown, type OwnerKey } from './key-file.ts';
export { generateKey, hashKey, KEY_FORMAT } from './keys.ts';
export { type Access, issuedKey, openAccess } from './open-access.ts';
export { ORGANIZATION_EVENTS } from './organization.ts';
export { Organizations, organizationsOf } from './organizations.ts';
export { API_KEYS, type ApiKeys } from './port.ts';
export { StoredKeys } from './stored-keys.ts';
