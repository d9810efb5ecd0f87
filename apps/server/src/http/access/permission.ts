import type { Permission } from '#platform/kernel';
import { routeConfig } from './route-config.ts';

/** Every route needs this or `@Public()`; without either, the server does not start. */
export const Requires = (permission: Permission): MethodDecorator => routeConfig({ access: permission });

/** The route needs no key and must not reveal stored data. */
export const Public = (): MethodDecorator => routeConfig({ access: 'public' });
