import type { Permission } from '#platform/kernel';
import type { RequestType } from '#ports/analytics';
import { type RouteLimit, routeConfig } from './route-config.ts';

/** Every route needs this or `@Public()`; without either, the server does not start. */
export const Requires = (permission: Permission): MethodDecorator => routeConfig({ access: permission });

/** The route needs no key and must not reveal stored data. */
export const Public = (): MethodDecorator => routeConfig({ access: 'public' });

/** As what the analytics count requests of the route; null: not at all. Without it: as `request`. */
export const CountedAs = (type: RequestType | null): MethodDecorator => routeConfig({ countedAs: type });

/** Who belongs to a suspended organization may call the route, too. */
export const AlsoSuspended = (): MethodDecorator => routeConfig({ isForSuspended: true });

/** Limits the requests of an organization, beside those of each key. */
export const LimitedTo = (limit: RouteLimit): MethodDecorator => routeConfig({ limit });
