import type { Principal } from '#platform/kernel';
import { type Permission, routeConfig } from './route-config.ts';

/** Every route needs this or `@Public()`; without either, the server does not start. */
export const Requires = (permission: Permission): MethodDecorator => routeConfig({ access: permission });

/** The route needs no key and must not reveal stored data. */
export const Public = (): MethodDecorator => routeConfig({ access: 'public' });

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
