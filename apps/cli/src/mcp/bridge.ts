import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Json, JsonObject } from '#platform/kernel';
import { eventsOf } from './server-events.ts';

export interface BridgeOptions {
  /** Address of the tool server. */
  readonly url: string;
  readonly key: string;
  /** Tag of calls that name none. Null: as the key has it. */
  readonly containerTag: string | null;
  /** Messages of the client, one a line. */
  readonly input: Readable;
  /** Gets the answers, one a line. */
  readonly output: Writable;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [name: string]: Json };
}

/** Of the client of 2026-07-28, in each of its messages. */
const VERSION = 'io.modelcontextprotocol/protocolVersion';
/** A stream without an end. */
const LISTEN = 'subscriptions/listen';
/** Of errors that are no message of the server. */
const OWN = -32_000;
const UNREADABLE = -32_700;

/** Passes the messages of a client to a server over HTTP, and its answers back, until the client has closed the input. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #running = new Map<string | number, AbortController>();
  /** Of these, the ones without an end. */
  readonly #listening = new Set<string | number>();
  readonly #open = new Set<Promise<void>>();
  /** As the answer to `initialize` says. Null: there was none. */
  #version: string | null = null;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    for await (const line of createInterface({ input: this.#options.input })) {
      if (line.trim() === '') continue;
      const passing = this.#take(line).finally(() => this.#open.delete(passing));
      this.#open.add(passing);
    }
    for (const [id, running] of this.#running) if (this.#listening.has(id)) running.abort();
    await Promise.all(this.#open);
  }

  async #take(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#write({ jsonrpc: '2.0', id: null, error: { code: UNREADABLE, message: 'Parse error' } });
    }
    const { id, method, params } = message ?? {};
    if (method === 'notifications/cancelled') this.#running.get(params?.requestId as string | number)?.abort();
    else if (method !== undefined && id !== undefined) await this.#answer(message, id, method);
    // Answers and other notifications change nothing on a server that keeps nothing.
  }

  async #answer(message: Message, id: string | number, method: string): Promise<void> {
    const running = new AbortController();
    this.#running.set(id, running);
    if (method === LISTEN) this.#listening.add(id);
    try {
      for await (const answer of this.#send(message, running.signal)) {
        if (method === 'initialize') this.#version = versionIn(answer) ?? this.#version;
        // What was refused before the message was read names no request.
        await this.#write('id' in answer && answer.id === null ? { ...answer, id } : answer);
      }
    } catch (error) {
      if (!running.signal.aborted) await this.#write(failure(id, error, this.#options.url));
    } finally {
      this.#running.delete(id);
      this.#listening.delete(id);
    }
  }

  async *#send(message: Message, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const { url } = this.#options;
    const headers = this.#headersOf(message);
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message), signal });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body !== null) {
      for await (const event of eventsOf(response.body)) yield JSON.parse(event);
    } else if (type.startsWith('application/json')) {
      const answer = (await response.json()) as JsonObject;
      if (answer.jsonrpc !== '2.0') throw new Error(`it answers ${response.status}, as no tool server does`);
      yield answer;
    } else throw new Error(`it answers ${response.status}, as no tool server does`);
  }

  #headersOf({ method = '', params }: Message): Record<string, string> {
    const { key, containerTag } = this.#options;
    const own = (params?._meta as JsonObject | undefined)?.[VERSION];
    const version = typeof own === 'string' ? own : this.#version;
    const name = params?.name ?? params?.uri;
    return {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version !== null && { 'mcp-protocol-version': version }),
      // Of this version of the protocol, servers compare them with the message.
      ...(typeof own === 'string' && { 'mcp-method': method }),
      ...(typeof own === 'string' && typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      ...(containerTag !== null && { 'x-sm-project': containerTag }),
    };
  }

  async #write(message: JsonObject): Promise<void> {
    const { output } = this.#options;
    if (!output.write(`${JSON.stringify(message)}\n`)) await once(output, 'drain');
  }
}

/** Headers hold visible ASCII; the protocol writes anything else in base64. */
const headerValue = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function versionIn({ result }: JsonObject): string | null {
  const { protocolVersion } = (result ?? {}) as JsonObject;
  return typeof protocolVersion === 'string' ? protocolVersion : null;
}

function failure(id: string | number, error: unknown, url: string): JsonObject {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return { jsonrpc: '2.0', id, error: { code: OWN, message: `The Mneme server at ${url} cannot be asked: ${reason}` } };
}
