import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly stream?: boolean;
}

/** The chat completions API of a language model on loopback, which answers with fixed texts. */
export class LoopbackModel {
  readonly #server: Server;
  /** Each request gets the next one. */
  replies: string[] = [];
  readonly requests: ChatRequest[] = [];

  static async start(): Promise<LoopbackModel> {
    const model = new LoopbackModel();
    await new Promise<void>((listening) => model.#server.listen(0, '127.0.0.1', listening));
    return model;
  }

  private constructor() {
    this.#server = createServer(async (incoming, outgoing) => {
      const request = (await json(incoming)) as ChatRequest;
      this.requests.push(request);
      const reply = this.replies.shift() ?? 'I have nothing more to say.';
      if (request.stream) stream(reply, outgoing);
      else outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(completion(reply)));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

const COMMON = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'loopback' };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function completion(content: string): object {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  return { ...COMMON, object: 'chat.completion', choices: [choice], usage };
}

function stream(reply: string, outgoing: ServerResponse): void {
  outgoing.setHeader('content-type', 'text/event-stream');
  const send = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    outgoing.write(`data: ${JSON.stringify({ ...COMMON, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  for (const piece of reply.split(/(?<= )/)) send({ role: 'assistant', content: piece }, null);
  send({}, 'stop');
  outgoing.end('data: [DONE]\n\n');
}
