import { newId, type OrganizationId, type Role } from '#platform/kernel';
import type { KeyIssued, KeyLimits } from './key.ts';
import { generateKey } from './keys.ts';

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
