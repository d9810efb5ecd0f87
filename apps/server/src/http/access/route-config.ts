import type { IncomingHttpHeaders } from 'node:http';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { KnownFields } from '#platform/input';
import type { Permission, Principal } from '#platform/kernel';
import type { RequestType } from '#ports/analytics';
import type { RateLimit } from '#ports/rate-limit';
import { type KnownInput, knownInputOf } from '../validation/known-fields.ts';
import { declareFields } from '../validation/misspelt-fields.ts';

/** Declarations of a route's decorators; Fastify's hooks read them before the body arrives. */
export interface RouteDeclaration extends Partial<KnownInput> {
  access?: Permission | 'public';
  /** Whether the operator's key opens the route. Default: only where `installation` is required. */
  isForOperator?: boolean;
  /** Whether a key of an organization that is suspended may call the route. Default: no. */
  isForSuspended?: boolean;
  /** As what the analytics count its requests. Absent: `request`. Null: they are not counted. */
  countedAs?: RequestType | null;
  /** Of all keys of an organization together, for routes of the same name. */
  limit?: RouteLimit;
  /** Whether bodies and errors are messages of JSON-RPC. Default: no. */
  isRpc?: boolean;
  /** Returns the key of a request. Absent: it is the bearer, or the cookie of a session. */
  keyOf?: (headers: IncomingHttpHeaders) => string | undefined;
  /** The body is read by the route itself, whatever its type is. */
  takesAnyBody?: boolean;
  /** Whether errors have the form of OAuth. Default: no. */
  isOAuth?: boolean;
  /** Whether the body may be a form that is encoded as an address. Default: no. */
  isForm?: boolean;
  /** The fields of multipart/form-data, which the route takes instead of JSON. */
  form?: KnownFields;
}

export interface RouteLimit extends RateLimit {
  readonly name: string;
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {}
  interface FastifyRequest {
    /** Set before the body is read, for every valid key on a route that is not public. */
    principal: Principal | null;
    /** As what the analytics count it, if the route leaves that open. Null: as the route says. */
    countedAs: RequestType | null;
  }
  interface FastifyReply {
    /** Code of the error body; null: the answer is a success. */
    errorCode: string | null;
  }
}

const DECLARED = new WeakMap<object, RouteDeclaration>();

/** Merges the declaration with those of the route's other decorators. */
export function routeConfig(part: RouteDeclaration): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const declaration = { ...(DECLARED.get(handler) ?? knownInputOf(target, key)), ...part };
    const { body = {}, query = {}, form = {} } = declaration;
    declareFields(body, query, form);
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
