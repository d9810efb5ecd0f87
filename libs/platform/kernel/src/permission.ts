import type { Principal } from './principal.ts';

/** The scopes R, W, F and A of the contract (§4). */
export type Permission = 'read' | 'write' | 'full' | 'admin';

/** Whether a principal has a permission. Which tags it may read and write is decided by the scope. */
export function mayCall(principal: Principal, permission: Permission): boolean {
  switch (permission) {
    case 'read':
    case 'write':
      return true;
    case 'full':
      return principal.tags === 'all';
    case 'admin':
      return principal.tags === 'all' && principal.role !== 'member';
  }
}
