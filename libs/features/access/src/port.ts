import type { Principal } from '#platform/kernel';
import type { KnownOrganizations } from './known-organizations.ts';

/** Authenticates callers by their keys. Keys are stored as hashes; the secret is shown once. */
export interface ApiKeys {
  readonly organizations: Pick<KnownOrganizations, 'stateOf' | 'areSeveral'>;
  /** Returns null for an unknown, revoked, disabled or expired key, and for one of an organization that is gone. */
  authenticate(secret: string): Principal | null;
  /** Whether another process may know the access token that this one does not: it was given lately. */
  mayBeNew(secret: string): boolean;
  /** Who makes requests with a key, by the id of the key. Null: it is not accepted now. */
  principalOf(id: string): Principal | null;
  /** Whether a key that was valid still is, and permits the same; those of a suspended organization are not. */
  isValid(principal: Principal): boolean;
  /** Whether it is known what happened to the keys in the last half minute: a key may have been revoked meanwhile. */
  isCurrent(): boolean;
}

export const API_KEYS = Symbol('ApiKeys');
