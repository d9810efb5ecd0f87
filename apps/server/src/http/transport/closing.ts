import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';

/** How often connections are looked at, while the server closes, for those whose last answer has gone out. */
const LOOK_EVERY_MS = 50;

/**
 * Ends a server in order: what has been asked is answered, what comes later is told to come back, and no connection that
 * is merely kept open holds up the end.
 */
export function closeInOrder(instance: FastifyInstance): void {
  const { server } = instance;
  const open = new Set<Socket>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    if (closing) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  instance.addHook('preClose', (done) => {
    closing = true;
    // Browsers and pools connect ahead of need. Node counts such a connection as busy until its first request.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    // A connection that carried a request when the end began becomes idle only now.
    const timer = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
    server.once('close', () => clearInterval(timer));
    done();
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (!closing) return done();
    const headers = { 'retry-after': '5', connection: 'close' };
    sendError(request, reply, new ApiError('unavailable', 'The server is shutting down', null, headers));
  });
}
