import { hash, randomBytes } from 'node:crypto';
import type { OrganizationId } from '#platform/kernel';

/** The format that clients accept; any other text cannot be a key. */
export const KEY_FORMAT = /^sm_\S{17,}$/;

/** 256 random bits cannot be guessed, so a fast hash is enough. */
const RANDOM_BYTES = 32;

/** Returns 64 hexadecimal characters, the only part of a key that is stored. */
export const hashKey = (secret: string): string => hash('sha256', secret, 'hex');

/** Generates a key `sm_<organization>_<random>`: the secret to show once, the hash to store. */
export function generateKey(organization: OrganizationId): { readonly secret: string; readonly hash: string } {
  const secret = `sm_${organization}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  return { secret, hash: hashKey(secret) };
}
