import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from '#features/access';
import { mayCall, type Principal, systemClock } from '#platform/kernel';
import type { RateDecision } from '#ports/rate-limit';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';
import type { HttpOptions } from '../options.ts';
import { WrongKeys } from './wrong-keys.ts';

const BEARER = /^bearer +(\S+) *$/i;
/** SDKs sleep for the full Retry-After. */
const MAX_RETRY_SECONDS = 60;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Returns the hook that checks key, rate limit and permission before the body is read. */
export function authentication(keys: ApiKeys, options: HttpOptions): Hook {
  const { rateLimiter, rateLimit = null, keyUses, clock = systemClock } = options;
  const wrongKeys = new WrongKeys(options, clock);

  function allow(principal: Principal, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'public' || !mayCall(principal, access)) {
      sendError(request, reply, new ApiError('forbidden', 'The key does not permit this'));
      return;
    }
    request.principal = principal;
    done();
  }

  return (request, reply, done) => {
    if (request.is404 || request.routeOptions.config.access === 'public') {
      done();
      return;
    }
    if (!keys.isCurrent()) {
      sendError(request, reply, outdated());
      return;
    }
    const principal = principalOf(request, keys);
    if (principal === null) {
      if (request.headers.authorization) wrongKeys.add(request.ip);
      sendError(request, reply, unauthorized());
      return;
    }
    keyUses?.note(principal.keyId);
    const limit = principal.rateLimit ?? rateLimit;
    if (limit === null) {
      allow(principal, request, reply, done);
      return;
    }
    void rateLimiter.consume(principal.keyId, limit).then((decision) => {
      setRateLimitHeaders(reply, limit.requests, decision);
      if (decision.isAllowed) allow(principal, request, reply, done);
      else sendError(request, reply, tooMany(decision.resetMs));
    });
  };
}

function principalOf(request: FastifyRequest, keys: ApiKeys): Principal | null {
  const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
  return secret === undefined ? null : keys.authenticate(secret);
}

const unauthorized = (): ApiError =>
  new ApiError('unauthorized', 'A valid API key is needed: Authorization: Bearer sm_…', null, {
    'www-authenticate': 'Bearer',
  });

/** A key may have been revoked meanwhile. */
const outdated = (): ApiError =>
  new ApiError('unavailable', 'The event log cannot be reached, so keys cannot be checked; try again later', null, {
    'retry-after': '5',
  });

function tooMany(milliseconds: number): ApiError {
  const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(milliseconds / 1000)));
  return new ApiError('rate_limited', 'Rate limit exceeded', null, { 'retry-after': String(seconds) });
}

function setRateLimitHeaders(reply: FastifyReply, limit: number, { remaining, resetMs }: RateDecision): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', Math.ceil((systemClock.now() + resetMs) / 1000));
}
