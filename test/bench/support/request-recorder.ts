import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A proxy in front of OpenSearch that records requests. */
export interface RequestRecorder {
  readonly url: string;
  /** Returns the requests since the last call, in order of arrival. */
  take(): readonly RecordedRequest[];
  close(): void;
}

export async function startRequestRecorder(openSearchUrl: string): Promise<RequestRecorder> {
  let requests: RecordedRequest[] = [];
  const server = createServer((asked, answer) => {
    const { method = 'GET', headers, url = '/' } = asked;
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.on('end', () => {
      const body = Buffer.concat(parts);
      requests.push({ method, path: url, headers, body: body.toString() });
      const passed = request(new URL(url, openSearchUrl), { method, headers }, (found) => {
        answer.writeHead(found.statusCode as number, found.headers);
        found.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
