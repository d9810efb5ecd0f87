import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnownOrigin } from '../mcp/callers.ts';
import type { HttpOptions } from '../options.ts';

const METHODS = 'GET, POST, PATCH, PUT, DELETE, OPTIONS';
const EXPOSED = [
  'Retry-After',
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-should-retry',
  'x-supermemory-conversation-id',
  'x-supermemory-context-modified',
  'x-supermemory-error',
  'x-supermemory-tokens-processed',
  'x-supermemory-tokens-saved',
  'x-supermemory-tokens-cached',
  'x-supermemory-chunks-created',
  'x-supermemory-chunks-retrieved',
].join(', ');

/** CORS has no wildcard such as `x-sm-*`, so a preflight is answered with the allowed names among its own. */
const ALLOWED =
  /^(authorization|content-type|accept|idempotency-key|last-event-id|x-request-id|x-api-key|http-referer|x-title|(x-sm|x-supermemory|x-stainless|mcp|x-goog|anthropic|openai)-[\w-]+)$/i;
const ALWAYS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, x-request-id';

/** Allows any origin, without credentials (contract C9). Requests without an origin get no headers. */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', EXPOSED);
}

/** Allows the origins that may call the tool server (contract §4.14). */
export function allowKnownOrigin(request: FastifyRequest, reply: FastifyReply, options: HttpOptions): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  reply.header('vary', 'Origin');
  if (!isKnownOrigin(request, options)) return;
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', `WWW-Authenticate, Mcp-Session-Id, ${EXPOSED}`);
}

export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

/** Answers every OPTIONS request; no route handles the method. */
export function answerOptions(request: FastifyRequest, reply: FastifyReply): void {
  const asked = request.headers['access-control-request-headers'];
  const named = asked?.split(',').map((name) => name.trim());
  void reply
    .code(204)
    .header('access-control-allow-methods', METHODS)
    .header('access-control-allow-headers', named?.filter((name) => ALLOWED.test(name)).join(', ') || ALWAYS)
    .header('access-control-max-age', '86400')
    .send();
}
