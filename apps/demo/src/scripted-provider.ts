import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Message {
  readonly role: string;
  readonly content: string;
}

/** A provider of language models on loopback, in the format of OpenAI's chat completions, whose model is a function. */
export class ScriptedProvider {
  readonly #server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { readonly messages: readonly Message[] };
    this.received = messages;
    const message = { role: 'assistant', content: this.model(messages) };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }));
  });
  /** Of the last call. */
  received: readonly Message[] = [];

  static async start(model: (messages: readonly Message[]) => string): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider(model);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  private constructor(private readonly model: (messages: readonly Message[]) => string) {}

  /** Without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
