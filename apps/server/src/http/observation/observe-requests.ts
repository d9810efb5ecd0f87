import type { FastifyInstance } from 'fastify';
import type { KnownOrganizations } from '#features/access';
import type { HttpOptions } from '../options.ts';
import { serveMetrics } from './metrics-route.ts';

/** Stands for the route of a request that no route answers. Its URL must not be logged. */
const NO_ROUTE = '(none)';

/**
 * Writes one line of the request log for each answered request and records its duration. Neither holds the URL, the query
 * or content. A connection that the client closes before the end of the answer has no line.
 */
export function observeRequests(
  instance: FastifyInstance,
  { logger, metrics = null }: Pick<HttpOptions, 'logger' | 'metrics'>,
  organizations: Pick<KnownOrganizations, 'areSeveral'>,
): void {
  instance.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request;
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? NO_ROUTE;
    logger?.[status >= 400 ? 'info' : 'debug']('request', { method, route, status, milliseconds, requestId });
    metrics?.requestAnswered({ method, route, status, seconds: milliseconds / 1_000 });
    done();
  });
  if (metrics !== null) serveMetrics(instance, metrics, organizations);
}
