export { createKeyRing, type KeyRecord, type MemoryKeyRing } from './key-ring.ts';
export { generateKey, hashKey, KEY_FORMAT } from './keys.ts';
export { KEY_RING, type KeyRing } from './port.ts';
export { keyRecord, StoredKeys } from './stored-keys.ts';
