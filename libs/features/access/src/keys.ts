import { hashSecret, newId, type OrganizationId, type Role, randomSecret } from '#platform/kernel';
import type { KeyIssued, KeyLimits } from './key.ts';

/** The format that clients accept; any other text cannot be a key. */
export const KEY_FORMAT = /^sm_\S{17,}$/;

/** Random characters that are stored, to tell keys apart. */
const SHOWN = 4;

/** A new key. */
export interface GeneratedKey {
  /** To show once. */
  readonly secret: string;
  /** To store. */
  readonly hash: string;
  /** The first characters of the secret, by which people tell their keys apart. */
  readonly start: string;
}

/** Generates a key `sm_<organization>_<random>`. */
export function generateKey(organization: OrganizationId): GeneratedKey {
  const prefix = `sm_${organization}_`;
  const secret = `${prefix}${randomSecret()}`;
  return { secret, hash: hashSecret(secret), start: secret.slice(0, prefix.length + SHOWN) };
}

/** The access token of an application; it names its key, so that a process that does not know it yet can wait for it. */
const TOKEN_FORMAT = /^sm_\S+_([A-Za-z0-9]{22})\.[\w-]{43}$/;

/** An access token for the key with this id. @param random 43 characters */
export function tokenOfKey(organization: OrganizationId, id: string, random: string): GeneratedKey {
  const secret = `sm_${organization}_${id}.${random}`;
  return { secret, hash: hashSecret(secret), start: secret.slice(0, organization.length + 4 + SHOWN) };
}

/** Null: it is no access token. */
export const keyIdOfToken = (secret: string): string | null => TOKEN_FORMAT.exec(secret)?.[1] ?? null;

/** What a new key is and may do. */
export interface KeyWish {
  readonly name: string;
  readonly role: Role;
  readonly limits: Omit<KeyLimits, 'expiresAt'>;
  /** Null: never. */
  readonly expiresInDays: number | null;
}

const DAY_MS = 86_400_000;

/** Generates a key: the secret to show once, and what the log gets of it. @param now milliseconds since the Unix epoch */
export function newKey(
  organization: OrganizationId,
  { name, role, limits, expiresInDays }: KeyWish,
  now: number,
): { readonly secret: string; readonly payload: KeyIssued['payload'] } {
  const { secret, hash, start } = generateKey(organization);
  const expiry = expiresInDays === null ? {} : { expiresAt: now + expiresInDays * DAY_MS };
  return { secret, payload: { id: newId(), name, role, hash, start, limits: { ...limits, ...expiry } } };
}
