import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KnownOrganizations } from '#features/access';
import type { Principal } from '#platform/kernel';
import type { AnsweredRequest } from '#ports/analytics';
import type { HttpOptions } from '../options.ts';
import { serveMetrics } from './metrics-route.ts';

/** Stands for the route of a request that no route answers. Its URL must not be logged. */
const NO_ROUTE = '(none)';

/**
 * Writes one line of the request log for each answered request, records its duration, and records it for its organization if
 * its key is valid. None of these holds the URL, the query or content. A connection that the client closes before the end of the answer has no line.
 */
export function observeRequests(
  instance: FastifyInstance,
  { logger, metrics = null, analytics }: Pick<HttpOptions, 'logger' | 'metrics' | 'analytics'>,
  organizations: Pick<KnownOrganizations, 'areSeveral'>,
): void {
  instance.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request;
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? NO_ROUTE;
    logger?.[status >= 400 ? 'info' : 'debug']('request', { method, route, status, milliseconds, requestId });
    metrics?.requestAnswered({ method, route, status, seconds: milliseconds / 1_000 });
    const { countedAs = 'request' } = request.routeOptions.config;
    const type = request.countedAs ?? countedAs;
    if (request.principal !== null && type !== null) {
      analytics?.record(figuresOf(request, reply, { type, method, route, status, milliseconds }));
    }
    done();
  });
  if (metrics !== null) serveMetrics(instance, metrics, organizations);
}

function figuresOf(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Pick<AnsweredRequest, 'type' | 'method' | 'route' | 'status' | 'milliseconds'>,
): AnsweredRequest {
  const { organization, keyId } = request.principal as Principal;
  return {
    ...{ organization, keyId },
    ...answer,
    code: reply.errorCode,
    bytesIn: bytesOf(request.headers['content-length']),
    bytesOut: bytesOf(reply.getHeader('content-length')),
  };
}

/** Returns the length that a header declares. Null: it declares none. */
function bytesOf(length: unknown): number | null {
  const bytes = Number(length);
  return length === undefined || !Number.isSafeInteger(bytes) ? null : bytes;
}
