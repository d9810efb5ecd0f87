import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between a client and an OpenSearch, and keeps the bodies of the bulks that go through. */
export interface BulkRecorder {
  readonly url: string;
  /** Lines of JSON, in the order in which they came. */
  readonly bulks: readonly string[];
  close(): void;
}

export async function startBulkRecorder(openSearchUrl: string): Promise<BulkRecorder> {
  const bulks: string[] = [];
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked;
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.on('end', () => {
      const body = Buffer.concat(parts);
      if (url.startsWith('/_bulk')) bulks.push(body.toString());
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
    bulks,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
