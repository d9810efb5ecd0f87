import { hash, randomBytes } from 'node:crypto';
import type { OrganizationId } from '#kernel';

/** What clients recognise as a key, so nothing else is worth looking up. */
export const KEY_FORMAT = /^sm_\S{17,}$/;

/** 32 bytes in base64url: no need for a slow hash, nobody searches 2^256 of them. */
const RANDOM_BYTES = 32;

/** @returns 64 hexadecimal characters; all that is ever stored of a key */
export const hashKey = (secret: string): string => hash('sha256', secret, 'hex');

/** A new key `sm_<organization>_<random>`: the secret to show once, the hash to keep. */
export function generateKey(organization: OrganizationId): { readonly secret: string; readonly hash: string } {
  const secret = `sm_${organization}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  return { secret, hash: hashKey(secret) };
}
