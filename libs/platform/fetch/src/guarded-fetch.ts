import { Readable } from 'node:stream';
import type { ConnectionOptions } from './admitted-connection.ts';
import { bodyOf, FILE_BYTES } from './body.ts';
import { FetchFailedError, FetchRefusedError } from './errors.ts';
import { Patience } from './patience.ts';
import { type AllowRule, targetOf } from './policy.ts';
import { openRelay, type Relay, type RelayedAnswer } from './relay.ts';

/** Without an answer, or without a byte of a body that is read. Milliseconds. */
const IDLE_MS = 30_000;
/** Of a request with its body. Milliseconds. */
const MAX_MS = 10 * 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
/** What hosts get that are none of the provider: nothing that could be a credential. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'range', 'user-agent'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since'],
]);
/** What a `Response` takes as its text. */
const PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the connection needs is written here and not by the caller. */
const OWN = new Set(['connection', 'content-length', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding']);

export interface GuardedFetchOptions extends ConnectionOptions {
  /** Milliseconds without an answer, or without a byte of a body that is read. Default: 30,000. */
  readonly idle?: number;
  /** Milliseconds for a request and its body. Default: 600,000. */
  readonly timeout?: number;
}

export interface ProviderAccess {
  /** As a URL has them, with a port that is not the one of the scheme. Credentials and bodies go to them alone. */
  readonly hosts: readonly string[];
  /** Rules in addition to those of the operator. */
  readonly allow?: readonly AllowRule[];
  /** Largest body of an answer after decompression, up to `FILE_BYTES`, which is the default. Bytes. */
  readonly maxBytes?: number;
}

interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | Readable | null;
  readonly isOfProvider: boolean;
}

/**
 * Opens functions in the shape of the global `fetch` for client libraries. Each connection passes the guard. What a request
 * carries, credentials in any header and its body, goes to the hosts of the provider alone, and along redirects only within
 * one origin: other hosts get plain requests for reading. Answers are decompressed; those with any status are returned.
 * The functions throw FetchRefusedError, FetchFailedError (temporary, if the connection failed), and the reason of the signal.
 */
export function openGuardedFetch(options: GuardedFetchOptions): (provider: ProviderAccess) => typeof globalThis.fetch {
  const { idle = IDLE_MS, timeout = MAX_MS, ...connections } = options;
  return ({ hosts, allow = [], maxBytes = FILE_BYTES }) => {
    // One for each, since connections are kept. Those that are not used end by themselves.
    const relay = openRelay({ proxiesPrivate: true, ...connections });
    return async (input, init) => {
      const request = new Request(input, init);
      const patience = new Patience({ caller: request.signal, idle, timeout });
      const exchange = await firstOf(request, init?.body, hosts);
      const { redirect } = request;
      const { url, answer, isRedirected } = await follow(exchange, { relay, allow, patience, redirect });
      return responseOf(answer, { url, isRedirected, method: request.method, maxBytes, patience });
    };
  };
}

async function firstOf(request: Request, given: unknown, hosts: readonly string[]): Promise<Exchange> {
  const { url, method, headers, body } = request;
  const target = new URL(url);
  const isStream = typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
  return {
    ...{ url: target, method, headers, isOfProvider: hosts.includes(target.host) },
    body: body === null ? null : isStream ? Readable.fromWeb(body) : Buffer.from(await request.arrayBuffer()),
  };
}

interface Following {
  readonly relay: Relay;
  readonly allow: readonly AllowRule[];
  readonly patience: Patience;
  readonly redirect: Request['redirect'];
}

/** Requests until the answer is no redirect. */
async function follow(first: Exchange, { relay, allow, patience, redirect }: Following) {
  let exchange = first;
  for (let redirects = 0; ; redirects += 1) {
    const { url, method, isOfProvider, body } = exchange;
    if (!isOfProvider && !isReading(method)) {
      throw new FetchRefusedError(`${url.host} is not a host of the provider, so that nothing is sent to it.`);
    }
    const { signal } = patience;
    const answer = await patience.wait(relay.send({ url, method, headers: headersOf(exchange), body, allow, signal }));
    const location = REDIRECTS.has(answer.status) ? headerOf(answer, 'location') : null;
    if (location === null || redirect === 'manual') return { url, answer, isRedirected: redirects > 0 };
    answer.body.destroy();
    if (redirect === 'error' || redirects === MAX_REDIRECTS) {
      throw new FetchFailedError(`${url.host} redirects ${redirects > 0 ? 'too often' : 'to another address'}.`);
    }
    exchange = redirected(exchange, answer.status, targetOf(location, url).url);
  }
}

function redirected(from: Exchange, status: number, url: URL): Exchange {
  const isOfProvider = from.isOfProvider && from.url.origin === url.origin;
  const becomesGet = status === 303 ? !isReading(from.method) : status < 303 && from.method === 'POST';
  if (becomesGet) {
    const headers = new Headers([...from.headers].filter(([name]) => !name.startsWith('content-')));
    return { url, method: 'GET', headers, body: null, isOfProvider };
  }
  if (from.body instanceof Readable)
    throw new FetchFailedError(`${from.url.host} redirects what can be sent only once.`);
  return { ...from, url, isOfProvider };
}

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

function headersOf({ headers, isOfProvider, body, method }: Exchange): string[] {
  const given = [...headers].filter(([name]) => !OWN.has(name) && (isOfProvider || HARMLESS.has(name)));
  const defaults = { accept: '*/*', 'accept-encoding': 'gzip, br, deflate', 'user-agent': 'Mneme' };
  const length = body instanceof Uint8Array ? body.length : body === null && !isReading(method) ? 0 : null;
  return [
    ...Object.entries(defaults).filter(([name]) => !headers.has(name)),
    ...given,
    ...(length === null ? [] : [['content-length', `${length}`] as const]),
  ].flat();
}

/** Returns the first value of a header. */
function headerOf({ headers }: RelayedAnswer, name: string): string | null {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return headers[at + 1] !== undefined && at >= 0 ? (headers[at + 1] as string) : null;
}

interface Answered {
  readonly url: URL;
  readonly isRedirected: boolean;
  readonly method: string;
  readonly maxBytes: number;
  readonly patience: Patience;
}

function responseOf(answer: RelayedAnswer, { url, isRedirected, method, maxBytes, patience }: Answered): Response {
  const { status, statusText } = answer;
  if (status < 200 || status > 599) {
    answer.body.destroy();
    throw new FetchFailedError(`${url.host} answered with status ${status}.`, { isTemporary: true });
  }
  const headers = new Headers();
  for (let at = 0; at < answer.headers.length; at += 2) {
    headers.append(answer.headers[at] as string, answer.headers[at + 1] as string);
  }
  const hasBody = method !== 'HEAD' && !WITHOUT_BODY.has(status);
  if (!hasBody) answer.body.resume();
  const packed = {
    contentType: headers.get('content-type'),
    encoding: headers.get('content-encoding'),
    bytes: patience.paced(answer.body),
  };
  const body = hasBody ? ReadableStream.from(bodyOf(packed, () => maxBytes)) : null;
  const shown = new URL(url);
  shown.hash = '';
  return Object.defineProperties(
    new Response(body, { status, statusText: PHRASE.test(statusText) ? statusText : '', headers }),
    {
      url: { value: shown.href },
      redirected: { value: isRedirected },
    },
  );
}
