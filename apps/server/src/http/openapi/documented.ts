import { routeConfig } from '../access/route-config.ts';
import type { RouteDocs } from './route-docs.ts';

export const Documented = (docs: RouteDocs): MethodDecorator => routeConfig({ docs });

/** Takes multipart/form-data with a part named `file`. */
export const Multipart = (): MethodDecorator => routeConfig({ multipart: true });
