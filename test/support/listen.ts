import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { until } from '../../libs/platform/kernel/src/testing/eventually.ts';

/** Longer than a connection of another test uses a port that a server has left. Milliseconds. */
const PORT_TAKEN_MS = 10_000;

/**
 * Listens on a port of 127.0.0.1, or on a free one, and returns it. While another process uses the port, which can be for a
 * moment between two servers on it, listening is tried again.
 */
export async function listen(server: Server, port = 0): Promise<number> {
  const attempt = async () => {
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      return error;
    }
  };
  await until(attempt, (problem) => problem === null, PORT_TAKEN_MS);
  return (server.address() as AddressInfo).port;
}
