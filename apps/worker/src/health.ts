import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PATH = '/v3/health';

/** Answers `GET /v3/health` and nothing else, for whoever has to know whether the process lives. */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  report: () => object,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const found = request.method === 'GET' && request.url === PATH;
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    response.end(JSON.stringify(found ? report() : { error: 'A worker tells its health only', message: PATH }));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${bound}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
