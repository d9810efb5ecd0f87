import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from '../connection.ts';

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly text: string;
}

export interface StubAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly body: object;
}

/**
 * Starts a server for all tests of the file or block that answers requests as the tests say, and connects to it.
 * @param options of the connection
 */
export function stubServer(
  answer: (request: StubRequest) => StubAnswer,
  options: ConstructorParameters<typeof Connection>[1] = {},
): { readonly url: string; readonly connection: Connection } {
  let url: string;
  let connection: Connection;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname);
    const { status = 200, body } = answer({ method: request.method ?? '', path, text });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    connection = new Connection(url, options);
  });
  afterAll(async () => {
    await connection.close();
    server.close();
    server.closeAllConnections();
  });
  return {
    get url() {
      return url;
    },
    get connection() {
      return connection;
    },
  };
}

/** The first lines of each pair in the body of a bulk request or of several searches. */
export const actionsIn = ({ text }: StubRequest): readonly unknown[] =>
  text
    .trim()
    .split('\n')
    .flatMap((line, i) => (i % 2 === 0 ? [JSON.parse(line)] : []));
