import type { FastifyInstance } from 'fastify';
import type { KnownOrganizations } from '#features/access';
import type { Metrics } from '#platform/telemetry';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';

/**
 * Answers `GET /metrics` for the operator: for the key of the installation and, while there is one organization, its owner
 * keys. Outside the API's description, which does not depend on settings.
 */
export function serveMetrics(
  instance: FastifyInstance,
  metrics: Metrics,
  organizations: Pick<KnownOrganizations, 'areSeveral'>,
): void {
  instance.get(
    '/metrics',
    { config: { access: 'full', isForOperator: true, countedAs: null } },
    async (request, reply) => {
      const { principal } = request;
      if (principal !== null && (principal.role !== 'owner' || organizations.areSeveral())) {
        sendError(request, reply, new ApiError('forbidden', 'Only the operator may read this'));
        return reply;
      }
      const { contentType, text } = await metrics.render();
      return reply.header('content-type', contentType).send(text);
    },
  );
}
