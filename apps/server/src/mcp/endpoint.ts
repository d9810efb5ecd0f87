import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { RequestType } from '#ports/analytics';
import type { Caller, Services } from './caller.ts';
import { createServer } from './create-server.ts';
import { toolNamed } from './tools/index.ts';

/** Most event streams that a process holds open. They stay silent, because tools and resources do not change. */
const MOST_STREAMS = 100;

/** Answers messages of both eras of the protocol: those of 2025, and those of 2026-07-28. Nothing is kept between them. */
export class McpEndpoint {
  readonly #present;
  readonly #serverFor;

  constructor(version: string, services: Services) {
    this.#serverFor = (caller: Caller) => createServer(version, services, caller);
    this.#present = createMcpHandler(({ authInfo }) => this.#serverFor(authInfo?.extra?.caller as Caller), {
      legacy: 'reject',
      maxSubscriptions: MOST_STREAMS,
    });
  }

  /** @param message the body of the request */
  async answer(request: Request, message: unknown, caller: Caller): Promise<Response> {
    const parsedBody = withTextArguments(message);
    if (await isLegacyRequest(request, parsedBody)) return this.#answerFormer(request, parsedBody, caller);
    const authInfo: AuthInfo = { token: '', clientId: caller.principal.keyId, scopes: [], extra: { caller } };
    return this.#present.fetch(request, { parsedBody, authInfo });
  }

  /** As what the analytics count a message. Null: as any other request. */
  countedAs(message: unknown): RequestType | null {
    const { method, params } = message as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
    return method === 'tools/call' ? (toolNamed(String(params?.name))?.tool.countedAs ?? null) : null;
  }

  close(): Promise<void> {
    return this.#present.close();
  }

  /** Answers are JSON and not event streams, because no tool reports progress. */
  async #answerFormer(request: Request, parsedBody: unknown, caller: Caller): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = this.#serverFor(caller);
    await server.connect(transport);
    const close = () => void server.close();
    request.signal.addEventListener('abort', close, { once: true });
    return transport.handleRequest(request, { parsedBody }).finally(close);
  }
}

/** Arguments of a prompt are text; some clients send what they mean by it. */
function withTextArguments(message: unknown): unknown {
  const { method, params } = message as {
    readonly method?: unknown;
    readonly params?: { readonly arguments?: unknown };
  };
  if (method !== 'prompts/get' || typeof params?.arguments !== 'object' || params.arguments === null) return message;
  const texts = Object.entries(params.arguments).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? String(value) : value,
  ]);
  return { ...(message as object), params: { ...params, arguments: Object.fromEntries(texts) } };
}
