import type { Principal, Role } from './principal.ts';

/**
 * The scopes R, W, F and A of the contract (§4). `full` reads what belongs to no tag, `full-write` changes it. `installation`
 * manages organizations, which no key of an organization may.
 */
export type Permission = 'read' | 'write' | 'full' | 'full-write' | 'admin' | 'installation';

/** Whether a principal has a permission. Which tags it may read and write is decided by the scope. */
export function mayCall({ tags, writableTags, role, audience }: Principal, permission: Permission): boolean {
  if (audience !== undefined && permission !== 'read' && permission !== 'write') return false;
  switch (permission) {
    case 'read':
      return true;
    case 'write':
      return writableTags === 'all' || writableTags.length > 0;
    case 'full':
      return tags === 'all';
    case 'full-write':
      return writableTags === 'all';
    case 'admin':
      return writableTags === 'all' && role !== 'member';
    case 'installation':
      return false;
  }
}

const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

/** Whether a role permits no more than another one. */
export const isAtMost = (role: Role, other: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(other);
