import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { sendError } from '../errors/send-error.ts';

/** Interval of the search for idle connections while the server closes. Milliseconds. */
const IDLE_CHECK_MS = 50;
/** For the answers to open requests while the server closes; uploads and large answers may take longer. Milliseconds. */
const ANSWER_MS = 2_000;

/**
 * Makes the server close in order: open requests are answered if that is soon, later ones get 503, and idle connections are
 * closed.
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
    // Browsers and pools connect in advance; Node counts such a connection as busy until its first request.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    // A connection with an open request becomes idle after its answer.
    const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const answered = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, ANSWER_MS);
    server.once('close', () => {
      clearInterval(timer);
      clearTimeout(answered);
    });
    done();
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (!closing) return done();
    const headers = { 'retry-after': '5', connection: 'close' };
    sendError(request, reply, new ApiError('unavailable', 'The server is shutting down', null, headers));
  });
}
