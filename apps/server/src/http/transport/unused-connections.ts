import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Browsers and connection pools connect ahead of need. Node counts such a connection as busy until its first request,
 * so without this a stop would wait for a client that may never say anything.
 */
export function dropUnusedConnections(instance: FastifyInstance): void {
  const open = new Set<Socket>();
  let closing = false;
  instance.server.on('connection', (socket: Socket) => {
    if (closing) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  instance.addHook('preClose', (done) => {
    closing = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}
