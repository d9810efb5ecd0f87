import { RouteConfig } from '@nestjs/platform-fastify';
import type { Caller } from '#kernel';

/** The contract's letters (§4): R, W, F, A. */
export type Permission = 'read' | 'write' | 'full' | 'admin';

/** What the decorators of a route say about it, readable in Fastify's hooks before the body is. */
export interface RouteDeclaration {
  access?: Permission | 'public';
  /** Takes multipart/form-data instead of JSON. */
  multipart?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {}
  interface FastifyRequest {
    /** Set before the body is read, on every route that is not public. */
    caller: Caller | null;
  }
}

const DECLARED = new WeakMap<object, RouteDeclaration>();

/** Several decorators may each declare a part of one route. */
export function routeConfig(part: RouteDeclaration): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const declaration = { ...DECLARED.get(handler), ...part };
    DECLARED.set(handler, declaration);
    RouteConfig(declaration)(target, key, descriptor);
  };
}

/** Returns what the decorators of a controller's method declare. */
export const declarationOf = (handler: object): RouteDeclaration | undefined => DECLARED.get(handler);

export class UndeclaredRouteError extends Error {
  override readonly name = 'UndeclaredRouteError';

  constructor(method: string, url: string) {
    super(`${method} ${url} declares neither @Requires(…) nor @Public()`);
  }
}
