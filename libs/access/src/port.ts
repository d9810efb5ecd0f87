import type { Caller } from '#kernel';

/** Finds who a key belongs to. Keys are kept as hashes; the secret is shown once. */
export interface KeyRing {
  /** Null: unknown, revoked or expired. */
  authenticate(secret: string): Caller | null;
}

export const KEY_RING = Symbol('KeyRing');
