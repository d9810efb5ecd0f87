import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ListenAddress, translateListenError, urlOf } from '#platform/telemetry';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** By path, without a query; only GET is answered. */
export type Routes = Readonly<Record<string, (request: IncomingMessage) => Promise<Answer>>>;

export const jsonAnswer = (status: number, body: object): Answer => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

/** An error in the shape of the API's. */
export const errorAnswer = (status: number, code: string, message: string): Answer =>
  jsonAnswer(status, { error: message, message, code });

/** Serves the health of a worker, and its metrics if they are on. */
export async function serveStatus(
  { host, port }: ListenAddress,
  routes: Routes,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const notFound = errorAnswer(404, 'not_found', `A worker answers GET ${Object.keys(routes).join(', ')} only`);
  const unavailable = errorAnswer(503, 'unavailable', 'An engine cannot be reached. Try again.');
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const route = method === 'GET' && Object.hasOwn(routes, url) ? routes[url] : undefined;
    const { status, contentType, body } = (await route?.(request).catch(() => unavailable)) ?? notFound;
    response.writeHead(status, { 'content-type': contentType, connection: 'close' });
    response.end(body);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error) => {
    throw translateListenError(error, { host, port });
  });
  return {
    url: urlOf(server.address() as AddressInfo),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
