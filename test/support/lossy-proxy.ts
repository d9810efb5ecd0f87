import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Passes requests on to a server, and drops the connection instead of the first answers to each of them. */
export class LossyProxy {
  readonly #server: Server;
  readonly #target: () => string;
  /** How many attempts of each request get no answer. */
  losses = 1;
  /** Answers that were dropped. */
  lost = 0;
  /** Called after the server has answered and before the connection is dropped. */
  beforeLoss: () => Promise<void> = async () => {};

  /** `target` returns the address of the server, which may change. */
  static async start(target: () => string): Promise<LossyProxy> {
    const proxy = new LossyProxy(target);
    await new Promise<void>((listening) => proxy.#server.listen(0, '127.0.0.1', listening));
    return proxy;
  }

  private constructor(target: () => string) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      this.#forward(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, headers } = incoming;
    const answer = await new Promise<IncomingMessage>((answered, failed) => {
      // Without an agent, because a connection that is kept would not survive a restart of the server.
      const upstream = request(this.#target() + incoming.url, { method, headers, agent: false }, answered);
      upstream.once('error', failed);
      incoming.pipe(upstream);
    });
    const body = await buffer(answer);
    // The clients count their attempts.
    if (Number(headers['x-stainless-retry-count'] ?? 0) < this.losses) {
      this.lost += 1;
      await this.beforeLoss();
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode as number, answer.headers).end(body);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
