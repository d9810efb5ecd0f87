import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiKeys, installationKeyOf } from '#features/access';
import { mayCall, type Principal, systemClock } from '#platform/kernel';
import type { RateDecision, RateLimit } from '#ports/rate-limit';
import { ApiError, tooMany, unauthorized } from '../errors/api-error.ts';
import { refusalError } from '../errors/refusals.ts';
import { sendError } from '../errors/send-error.ts';
import { isForTools } from '../mcp/callers.ts';
import { rpcUnauthorized } from '../mcp/rpc.ts';
import type { HttpOptions } from '../options.ts';
import { heardOf } from './heard-of.ts';
import type { SessionGuard } from './session-guard.ts';
import { WrongKeys } from './wrong-keys.ts';

const BEARER = /^bearer +(\S+) *$/i;
/** Under this name its requests are counted. */
const INSTALLATION = 'installation';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Returns the hook that checks key or session, rate limit and permission before the body is read. */
export function authentication(keys: ApiKeys, sessions: SessionGuard, options: HttpOptions): Hook {
  const { rateLimiter, rateLimit = null, keyUses, clock = systemClock } = options;
  const wrongKeys = new WrongKeys(options, clock);
  const isInstallationKey = installationKeyOf(options.installationKey ?? null);

  function allow(principal: Principal, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { access, limit, isForSuspended = false } = request.routeOptions.config;
    if (access === undefined || access === 'public' || !mayCall(principal, access)) {
      sendError(request, reply, forbidden());
      return;
    }
    if (!isForSuspended && keys.organizations.stateOf(principal.organization) === 'suspended') {
      sendError(request, reply, refusalError('organization_suspended'));
      return;
    }
    if (limit === undefined) {
      done();
      return;
    }
    void rateLimiter.consume(`${limit.name}-${principal.organization}`, limit).then(({ isAllowed, resetMs }) => {
      if (isAllowed) done();
      else sendError(request, reply, tooMany(resetMs));
    });
  }

  /** Of the operator, who is no principal. */
  function allowOperator(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { access, isForOperator = access === 'installation' } = request.routeOptions.config;
    if (isForOperator) done();
    else sendError(request, reply, forbidden());
  }

  function admit(principal: Principal, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    if (principal.audience !== undefined && !isForTools(request)) {
      sendError(request, reply, otherAudience());
      return;
    }
    const { keyId, member, rateLimit } = principal;
    request.principal = principal;
    if (keyId !== member) keyUses?.note(keyId);
    limit(keyId, rateLimit, request, reply, () => allow(principal, request, reply, done));
  }

  function limit(
    key: string,
    own: RateLimit | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    next: () => void,
  ) {
    const limit = own ?? rateLimit;
    if (limit === null) {
      next();
      return;
    }
    void rateLimiter.consume(key, limit).then((decision) => {
      setRateLimitHeaders(reply, limit.requests, decision);
      if (decision.isAllowed) next();
      else sendError(request, reply, tooMany(decision.resetMs));
    });
  }

  function refuse(request: FastifyRequest, reply: FastifyReply): void {
    const { headers, routeOptions } = request;
    const { keyOf, isRpc } = routeOptions.config;
    if (keyOf === undefined ? headers.authorization : keyOf(headers)) wrongKeys.add(request.ip);
    sendError(request, reply, isRpc ? rpcUnauthorized(request, options) : unauthorized());
  }

  return (request, reply, done) => {
    if (request.routeOptions.config.access === 'public') {
      done();
      return;
    }
    if (!keys.isCurrent()) {
      sendError(request, reply, outdated());
      return;
    }
    const cookie = sessions.cookieOf(request);
    if (cookie !== null) {
      sessions.principalOf(cookie, request, reply).then(
        (principal) => admit(principal, request, reply, done),
        (error: unknown) => sendError(request, reply, error),
      );
      return;
    }
    const { headers } = request;
    const { keyOf } = request.routeOptions.config;
    const secret = (keyOf ?? bearerOf)(headers);
    if (secret !== undefined && isInstallationKey(secret)) {
      limit(INSTALLATION, undefined, request, reply, () => allowOperator(request, reply, done));
      return;
    }
    const principal = secret === undefined ? null : keys.authenticate(secret);
    if (principal !== null) {
      admit(principal, request, reply, done);
      return;
    }
    if (secret === undefined || !options.hasOtherProcesses || !keys.mayBeNew(secret)) {
      refuse(request, reply);
      return;
    }
    void heardOf(() => (keys.mayBeNew(secret) ? null : { principal: keys.authenticate(secret) })).then((found) => {
      if (found?.principal) admit(found.principal, request, reply, done);
      else refuse(request, reply);
    });
  };
}

const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined => BEARER.exec(authorization ?? '')?.[1];

const forbidden = (): ApiError => new ApiError('forbidden', 'The key does not permit this');

/** An application must not use the token elsewhere, nor anybody to whom it shows it. */
const otherAudience = (): ApiError =>
  new ApiError('unauthorized', 'The token is for the tool server at /mcp alone', null, {
    'www-authenticate': 'Bearer error="invalid_token"',
  });

/** A key may have been revoked meanwhile. */
export const outdated = (): ApiError =>
  new ApiError('unavailable', 'The event log cannot be reached, so keys cannot be checked; try again later', null, {
    'retry-after': '5',
  });

function setRateLimitHeaders(reply: FastifyReply, limit: number, { remaining, resetMs }: RateDecision): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', Math.ceil((systemClock.now() + resetMs) / 1000));
}
