import type { FastifyInstance } from 'fastify';
import { MCP_PATH } from './callers.ts';

/** Tells clients of 2025 that there is neither a stream nor a session: they go on without. */
export function refuseSessions(instance: FastifyInstance): void {
  instance.route({
    method: ['GET', 'DELETE'],
    url: MCP_PATH,
    exposeHeadRoute: false,
    config: { access: 'read', isRpc: true },
    handler: (_request, reply) =>
      reply
        .code(405)
        .header('allow', 'POST')
        .send({ jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null }),
  });
}
