import { type Clock, type OrganizationId, type Principal, type Role, systemClock } from '#platform/kernel';
import { hashKey, KEY_FORMAT } from './keys.ts';
import type { ApiKeys } from './port.ts';

/** A key as it is stored. Times are milliseconds since the Unix epoch; null: never. */
export interface KeyRecord {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly role: Role;
  readonly hash: string;
  readonly revokedAt: number | null;
  readonly expiresAt: number | null;
}

export interface MemoryApiKeys extends ApiKeys {
  /** Adds a key, and replaces one with the same id. */
  add(record: KeyRecord): void;
  /** Revokes a key. Returns false if it does not exist. */
  revoke(id: string): boolean;
  records(): readonly KeyRecord[];
}

/** Keys in memory, filled from the events of keys. */
export function createApiKeys(records: Iterable<KeyRecord> = [], clock: Clock = systemClock): MemoryApiKeys {
  // Found by hash, so that the time of a comparison reveals nothing about a secret.
  const byHash = new Map<string, { readonly record: KeyRecord; readonly principal: Principal }>();
  const byId = new Map<string, KeyRecord>();

  function add(record: KeyRecord): void {
    const earlier = byId.get(record.id);
    if (earlier !== undefined) byHash.delete(earlier.hash);
    byId.set(record.id, record);
    // Created once per key instead of once per request.
    const principal: Principal = {
      organization: record.organization,
      keyId: record.id,
      role: record.role,
      tags: 'all',
      writableTags: 'all',
    };
    byHash.set(record.hash, { record, principal: Object.freeze(principal) });
  }

  for (const record of records) add(record);

  return {
    add,
    revoke(id) {
      const record = byId.get(id);
      if (record === undefined) return false;
      add({ ...record, revokedAt: record.revokedAt ?? clock.now() });
      return true;
    },
    records: () => [...byId.values()],
    authenticate(secret) {
      if (!KEY_FORMAT.test(secret)) return null;
      const found = byHash.get(hashKey(secret));
      if (found === undefined || found.record.revokedAt !== null) return null;
      if (found.record.expiresAt !== null && found.record.expiresAt <= clock.now()) return null;
      return found.principal;
    },
  };
}
