import type { Principal } from '#platform/kernel';

/** Authenticates callers by their keys. Keys are stored as hashes; the secret is shown once. */
export interface ApiKeys {
  /** Returns null for an unknown, revoked, disabled or expired key. */
  authenticate(secret: string): Principal | null;
  /** Whether a key that was valid still is, and permits the same. */
  isValid(principal: Principal): boolean;
  /** Whether it is known what happened to the keys in the last half minute: a key may have been revoked meanwhile. */
  isCurrent(): boolean;
}

export const API_KEYS = Symbol('ApiKeys');
