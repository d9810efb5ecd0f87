import type { Caller } from '#kernel';
import { type Permission, routeConfig } from './route-config.ts';

/** Every route carries this or `@Public()`; the server does not start otherwise. */
export const Requires = (permission: Permission): MethodDecorator => routeConfig({ access: permission });

/** Answers without a key; such a route never reveals stored data. */
export const Public = (): MethodDecorator => routeConfig({ access: 'public' });

export function mayCall(caller: Caller, permission: Permission): boolean {
  switch (permission) {
    case 'read':
    case 'write':
      return true;
    case 'full':
      return caller.tags === 'all';
    case 'admin':
      return caller.tags === 'all' && caller.role !== 'member';
  }
}
