import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Embedder } from '#models';
import type { BackgroundWork } from '#pipeline';
import type { EngineHealth } from '#runtime';

const PATH = '/v3/health';

/** Answers `GET /v3/health` and nothing else, for whoever has to know whether the process lives. */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  report: () => Promise<object>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const found = request.method === 'GET' && request.url === PATH;
    const body = found ? await report() : { error: 'A worker tells its health only', message: PATH };
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    response.end(JSON.stringify(body));
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

export interface WorkerHealthOptions {
  readonly version: string;
  readonly embedder: Pick<Embedder, 'status'>;
  readonly engines: Pick<EngineHealth, 'unreachable'>;
  readonly background: Pick<BackgroundWork, 'report'>;
}

/** Whether what the worker needs can be reached, and its work goes on. Never rejects. */
export async function workerHealth({ version, embedder, engines, background }: WorkerHealthOptions): Promise<object> {
  const unreachable = await engines.unreachable();
  const { longestMs, ...work } = background.report();
  return {
    status: unreachable.length > 0 || work.failing.length > 0 ? 'degraded' : 'ok',
    version,
    role: 'worker',
    model: embedder.status(),
    unreachable,
    work: { ...work, longestSeconds: Math.round(longestMs / 1_000) },
  };
}
