import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from '#features/access';
import { type InputError, invalid } from '#platform/input';
import { authentication } from '../access/authentication.ts';
import { UndeclaredRouteError } from '../access/route-config.ts';
import type { SessionGuard } from '../access/session-guard.ts';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';
import { foreignCaller, isForTools } from '../mcp/callers.ts';
import type { HttpOptions } from '../options.ts';
import { misspelt, spellingFor } from '../validation/misspelt-fields.ts';
import { misspellingIn } from '../validation/spelling.ts';
import { allowAnyOrigin, allowKnownOrigin, answerOptions, isPreflight } from './cors.ts';
import { currentPath, redirect } from './former-paths.ts';
import { isOverNats } from './over-nats.ts';

const MULTIPART = /^multipart\/form-data/i;

/** Adds the hooks that run, in this order, before the body of a request is read. */
export function guardEdge(
  instance: FastifyInstance,
  {
    keys,
    sessions,
    options,
  }: { readonly keys: ApiKeys; readonly sessions: SessionGuard; readonly options: HttpOptions },
): void {
  instance.decorateRequest('principal', null);
  instance.decorateRequest('countedAs', null);
  instance.decorateReply('errorCode', null);
  instance.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new UndeclaredRouteError(String(method), url);
  });
  // An expectation that is unknown to the server has no effect; Node would refuse it with an empty body.
  instance.server.on('checkExpectation', (request, response) => instance.server.emit('request', request, response));
  instance.addHook('onRequest', (request, reply, done) => {
    if (answerWithoutBody(request, reply, options)) return;
    const refusal = hasHost(request) ? (foreignTo(request, options) ?? noRoute(request)) : NO_HOST;
    if (refusal === null) done();
    else sendError(request, reply, refusal);
  });
  instance.addHook('onRequest', authentication(keys, sessions, options));
  instance.addHook('onRequest', (request, reply, done) => {
    const refusal = wrongContentType(request) ?? misspeltQuery(request);
    if (refusal === null) done();
    else sendError(request, reply, refusal);
  });
}

const foreignTo = (request: FastifyRequest, options: HttpOptions): ApiError | null =>
  isForTools(request) ? foreignCaller(request, options) : null;

/** HTTP/1.1 requires the header. */
const hasHost = ({ headers, raw }: FastifyRequest): boolean => headers.host !== undefined || raw.httpVersion !== '1.1';

const NO_HOST = new ApiError('invalid_request', 'The header Host is missing', 'Host', { connection: 'close' });

/** Refuses a request that no route answers, whatever its key and its body are. */
const noRoute = ({ is404, method, url }: FastifyRequest): ApiError | null =>
  is404 ? new ApiError('not_found', `Cannot ${method} ${url.split('?', 1)[0]}`) : null;

/** Sets the headers of every answer. Returns true for a request that it answers without key and body. */
function answerWithoutBody(request: FastifyRequest, reply: FastifyReply, options?: HttpOptions): boolean {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  if (options !== undefined && isForTools(request)) allowKnownOrigin(request, reply, options);
  else allowAnyOrigin(request, reply);

  if (isPreflight(request)) {
    answerOptions(request, reply);
    return true;
  }
  const location = currentPath(request.raw.url ?? '');
  if (location !== null) {
    redirect(reply, location);
    return true;
  }
  if (request.method === 'OPTIONS') {
    answerOptions(request, reply);
    return true;
  }
  return false;
}

/** Returns a refusal if an upload is not multipart, or another request is. */
function wrongContentType(request: FastifyRequest): InputError | null {
  if (request.routeOptions.config.takesAnyBody) return null;
  const type = request.headers['content-type'];
  const isMultipart = type !== undefined && MULTIPART.test(type);
  const wantsMultipart = request.routeOptions.config.form !== undefined;
  if (isMultipart === wantsMultipart) return null;
  return wantsMultipart
    ? invalid('Content-Type', 'Content-Type must be multipart/form-data')
    : invalid('Content-Type', 'Content-Type must be application/json, not multipart/form-data');
}

/** Returns a refusal if a query parameter is one slip away from a known one. */
function misspeltQuery(request: FastifyRequest): InputError | null {
  const { query: known } = request.routeOptions.config;
  if (known === undefined || isOverNats(request)) return null;
  const misspelling = misspellingIn(request.query, spellingFor(known));
  return misspelling === null ? null : misspelt(misspelling);
}

/** Answers URLs that the router cannot parse; Fastify runs no hook for them. */
export function answerBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (answerWithoutBody(request, reply)) return;
  const tooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  sendError(
    request,
    reply,
    tooLong
      ? new ApiError('not_found', 'The path names nothing')
      : invalid('path', 'The path holds a malformed percent-encoding'),
  );
}
