import { Agent, request as rawRequest } from 'node:http';
import type { TestApp } from './fake-application.ts';

/** Sends the requests one after the other; `sockets` is the number of connections used. */
export async function onOneConnection(
  http: TestApp & { readonly url: string },
  ...requests: readonly [method: string, path: string, body?: string | Buffer][]
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const statuses: number[] = [];
  for (const [method, path, body] of requests) {
    statuses.push(
      await new Promise<number>((resolve, reject) => {
        const request = rawRequest(
          `${http.url}${path}`,
          { method, agent, headers: { ...http.withKey, 'content-type': 'application/json' } },
          (response) => {
            ports.add(response.socket.localPort);
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
          },
        );
        request.on('error', reject).end(body);
      }),
    );
  }
  agent.destroy();
  return { statuses, sockets: ports.size };
}
