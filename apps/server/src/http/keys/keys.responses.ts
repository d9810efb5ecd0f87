import { type IssuedKey, principalOf } from '#features/access';
import type { ListedKey, NewKey } from '#features/access/use-cases';
import { isoTime, mayCall } from '#platform/kernel';
import type { PermittedTag } from '../meta/meta.responses.ts';

/** Answers about keys. The classes are types only; none is instantiated. */

/** An application that a person has connected. */
export class KeyClientRecord {
  /** Address of its metadata, or id of its registration. */
  readonly id!: string;
  /** As it calls itself. */
  readonly name!: string;
}

/** A key without its secret. */
export class KeyRecord {
  /** Id of the key. */
  readonly id!: string;
  /** For people, to tell keys apart. */
  readonly name!: string;
  /** The first characters of the secret. */
  readonly start!: string;
  /** Id of the member whose key it is. Null: it belongs to the organization. */
  readonly memberId!: string | null;
  /** The application to which the key was given. Null: it was made for none. */
  readonly client!: KeyClientRecord | null;
  /** What the key may manage. */
  readonly role!: 'owner' | 'admin' | 'member';
  /** `read`: the key changes nothing. */
  readonly permission!: 'read' | 'write';
  /** When the key was issued. */
  readonly createdAt!: string;
  /** Null: it does not expire. That of an application ends then unless it is used before. */
  readonly expiresAt!: string | null;
  /** `false`: the key is refused until it is enabled again. */
  readonly enabled!: boolean;
  /** Whether the key reaches some tags only. */
  readonly isScoped!: boolean;
  /** The tags of a scoped key. Empty: it is a full key. */
  readonly containerTags!: readonly PermittedTag[];
}

/** A key of the organization. */
export class ListedKeyRecord extends KeyRecord {
  /** When the key was last used, to the minute. Null: it was not used, or it is not known. */
  readonly lastRequest!: string | null;
}

/** The keys of the organization. */
export class KeyList {
  /** The first issued first. Revoked keys are left out. */
  readonly keys!: readonly ListedKeyRecord[];
}

/** A new key. Only this answer has the secret. */
export class CreatedKey {
  /** The secret: the value for `Authorization: Bearer`. It cannot be read again. */
  readonly key!: string;
  /** Id of the key. */
  readonly id!: string;
  /** For people, to tell keys apart. */
  readonly name!: string;
  /** Null: it does not expire. */
  readonly expiresAt!: string | null;
}

/** A new key that reaches some tags only. Only this answer has the secret. */
export class CreatedScopedKey extends CreatedKey {
  /** The tag of the request. */
  readonly containerTag!: string;
  /** The paths that the key may call. */
  readonly allowedEndpoints!: readonly string[];
}

/** A key is revoked. */
export class KeyRevocation {
  /** Always true. */
  readonly success!: boolean;
}

export const revoked = (): KeyRevocation => ({ success: true });

const timeOf = (milliseconds: number | null | undefined): string | null =>
  milliseconds == null ? null : isoTime(milliseconds);

export const keyList = (keys: readonly ListedKey[]): KeyList => ({
  keys: keys.map((key) => ({ ...keyRecord(key), lastRequest: timeOf(key.lastUsedAt) })),
});

export function keyRecord(key: IssuedKey): KeyRecord {
  const { id, name, start, member = null, grant, role, limits, createdAt, isEnabled } = key;
  return {
    ...{ id, name, start, memberId: member, client: grant?.client ?? null, role },
    permission: mayCall(principalOf(key), 'write') ? 'write' : 'read',
    createdAt: isoTime(createdAt),
    expiresAt: timeOf(limits.expiresAt ?? grant?.refreshUntil),
    enabled: isEnabled,
    isScoped: limits.containerTags !== undefined,
    containerTags: limits.containerTags ?? [],
  };
}

export const createdKey = ({ secret, key: { id, name, limits } }: NewKey): CreatedKey => ({
  ...{ key: secret, id, name },
  expiresAt: timeOf(limits.expiresAt),
});

/** Paths that take a scoped key (contract A8). */
const SCOPED_PATHS = [
  '/v3/documents',
  '/v3/memories',
  '/v4/memories',
  '/v3/search',
  '/v4/search',
  '/v4/profile',
  '/v4/conversations',
  '/v3/container-tags',
  '/v3/session',
  '/v3/events',
];

export const createdScopedKey = (created: NewKey, containerTag: string): CreatedScopedKey => ({
  ...createdKey(created),
  containerTag,
  allowedEndpoints: SCOPED_PATHS,
});
