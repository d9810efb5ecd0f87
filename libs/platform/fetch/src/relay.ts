import { Agent, type ClientRequestArgs, type IncomingMessage, request as send } from 'node:http';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { type ConnectionOptions, MAX_HEADER_BYTES, openAdmitted } from './admitted-connection.ts';
import { FetchFailedError, translated } from './errors.ts';
import { type AllowRule, type Target, targetOf } from './policy.ts';

/** Names, addresses and TLS of a new connection. Milliseconds. */
const CONNECT_MS = 15_000;
/** Less than common servers keep an idle connection, so that a request never meets one that is being closed. Milliseconds. */
const IDLE_MS = 4_000;

export interface RelayedRequest {
  readonly url: URL;
  readonly method: string;
  /** Names and values in turn, as they are sent; without `Host`. */
  readonly headers: readonly string[];
  /** Null: none. */
  readonly body: Uint8Array | Readable | null;
  /** Rules in addition to those of the operator. */
  readonly allow: readonly AllowRule[];
  /** Ends the request, also while its answer is read. */
  readonly signal: AbortSignal;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  /** As it came: neither decompressed nor limited. */
  readonly body: Readable;
}

/** Passes requests on to addresses that the policy permits, and their answers back, redirects included. Keeps connections. */
export interface Relay {
  /** @throws FetchRefusedError, FetchFailedError; the reason of the signal */
  send(request: RelayedRequest): Promise<RelayedAnswer>;
  close(): void;
}

interface AgentRequest extends ClientRequestArgs {
  readonly target: Target;
  readonly allow: readonly AllowRule[];
}

/** Opens each of its connections through the guard. */
class GuardedAgent extends Agent {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    super({ keepAlive: true, timeout: IDLE_MS });
    this.#options = options;
  }

  /** A plain connection is never kept for a request with TLS to the same port. */
  override getName(request?: ClientRequestArgs): string {
    return `${(request as AgentRequest | undefined)?.target.url.protocol}${super.getName(request)}`;
  }

  override createConnection(
    request: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { target, allow } = request as AgentRequest;
    const options = { ...this.#options, allow: [...this.#options.allow, ...allow] };
    openAdmitted(target, options, AbortSignal.timeout(CONNECT_MS)).then(
      (socket) => connected(null, socket),
      (error: Error) => connected(error, undefined as never),
    );
  }
}

/** Addresses that are not public are reached without the proxy, unless the options say otherwise. */
export function openRelay(options: ConnectionOptions): Relay {
  const agent = new GuardedAgent({ proxiesPrivate: false, ...options });
  return {
    send: async (request) => {
      try {
        return answerOf(await exchange(request, agent));
      } catch (error) {
        throw request.signal.aborted ? request.signal.reason : translated(error, false);
      }
    },
    close: () => agent.destroy(),
  };
}

function exchange({ url, method, headers, body, allow, signal }: RelayedRequest, agent: Agent) {
  const target = targetOf(url.href);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent: AgentRequest = {
    ...{ agent, method, target, allow, signal },
    ...{ host: target.host, port: target.port, path: url.pathname + url.search },
    headers: ['Host', url.host, ...headers],
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const outgoing = send(sent);
  outgoing.on('error', reject).once('response', resolve);
  // A connection that ends without an answer, also by changing its protocol, need not be an error of the request.
  outgoing.once('close', () => reject(new FetchFailedError('The address did not answer. Check the address.')));
  if (body === null || body instanceof Uint8Array) outgoing.end(body ?? undefined);
  else pipeline(body.once('error', reject), outgoing, () => undefined);
  return promise;
}

const answerOf = (response: IncomingMessage): RelayedAnswer => ({
  status: response.statusCode ?? 0,
  statusText: response.statusMessage ?? '',
  headers: response.rawHeaders,
  body: response,
});
