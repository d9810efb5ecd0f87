import { type Caller, type Clock, type OrganizationId, type Role, systemClock } from '#kernel';
import { hashKey, KEY_FORMAT } from './keys.ts';
import type { KeyRing } from './port.ts';

/** A key as it is kept. Times are milliseconds since the epoch; null: never. */
export interface KeyRecord {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly role: Role;
  readonly hash: string;
  readonly revokedAt: number | null;
  readonly expiresAt: number | null;
}

export interface MemoryKeyRing extends KeyRing {
  /** Replaces a key of the same id. */
  add(record: KeyRecord): void;
  /** False: no such key. From then on it is refused. */
  revoke(id: string): boolean;
  records(): readonly KeyRecord[];
}

/** All keys in memory; whoever owns their events feeds it. */
export function createKeyRing(records: Iterable<KeyRecord> = [], clock: Clock = systemClock): MemoryKeyRing {
  // Found by hash, so no comparison ever runs over a secret and its time tells nothing about one.
  const byHash = new Map<string, { readonly record: KeyRecord; readonly caller: Caller }>();
  const byId = new Map<string, KeyRecord>();

  function add(record: KeyRecord): void {
    const former = byId.get(record.id);
    if (former !== undefined) byHash.delete(former.hash);
    byId.set(record.id, record);
    // The caller is made once per key, not once per request.
    const caller: Caller = {
      organization: record.organization,
      keyId: record.id,
      role: record.role,
      tags: 'all',
      writableTags: 'all',
    };
    byHash.set(record.hash, { record, caller: Object.freeze(caller) });
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
      return found.caller;
    },
  };
}
