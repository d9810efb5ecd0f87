import type { Role } from '#kernel';
import type { Decided, Happened } from '../happened.ts';

/** A key as it is remembered: never the secret, only its hash. Stream `key-<id>`. */
export type KeyState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'issued';
      readonly id: string;
      readonly organization: string;
      readonly role: Role;
      readonly name: string;
      readonly hash: string;
    };

export const initialKey: KeyState = { status: 'absent' };

export function evolveKey(state: KeyState, { envelope, payload }: Happened): KeyState {
  switch (envelope.type) {
    case 'KeyIssued': {
      const { id, role, name, hash } = payload as { id: string; role: Role; name: string; hash: string };
      return { status: 'issued', id, organization: envelope.organization, role, name, hash };
    }
    case 'KeyRevoked':
      return initialKey;
    default:
      return state;
  }
}

export function decideIssue(key: { id: string; role: Role; name: string; hash: string }): readonly Decided[] {
  return [{ type: 'KeyIssued', payload: key }];
}

/** The stream of an organization begins with this. */
export function decideFound(name: string): readonly Decided[] {
  return [{ type: 'OrganizationFounded', payload: { name } }];
}
