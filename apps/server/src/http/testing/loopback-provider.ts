import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SeenCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
}

export interface LoopbackProvider {
  readonly url: string;
  /** All calls, whole. */
  readonly seen: SeenCall[];
  answer: (request: IncomingMessage, response: ServerResponse, call: SeenCall) => void;
  close(): Promise<void>;
}

/** Starts a provider of language models on this machine that records what it gets. */
export async function openProvider(answer: LoopbackProvider['answer'] = (_, response) => response.end('{}')) {
  const provider = { url: '', seen: [] as SeenCall[], answer };
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const call: SeenCall = {
      ...{ method: request.method ?? '', url: request.url ?? '', headers: request.rawHeaders, body },
      header: (name) => request.headersDistinct[name]?.join(', '),
    };
    provider.seen.push(call);
    provider.answer(request, response, call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return Object.assign(provider, { close }) as LoopbackProvider;
}
