import type { FastifyInstance } from 'fastify';
import type { Metrics } from '#platform/telemetry';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';

/** Answers `GET /metrics` for the owner key. Outside the API's description, which does not depend on settings. */
export function serveMetrics(instance: FastifyInstance, metrics: Metrics): void {
  instance.get('/metrics', { config: { access: 'full' } }, async (request, reply) => {
    if (request.principal?.role !== 'owner') {
      sendError(request, reply, new ApiError('forbidden', 'Only the owner key permits this'));
      return reply;
    }
    const { contentType, text } = await metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}
