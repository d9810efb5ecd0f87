import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, request as send } from 'node:http';
import { isIP } from 'node:net';
import { isMnemeError, unlessAborted } from '#platform/kernel';
import { bodyOf, FILE_BYTES } from './body.ts';
import { openConnection, systemResolver, tcpConnector } from './connection.ts';
import { FetchFailedError } from './errors.ts';
import { admit, type Policy, type Target, targetOf } from './policy.ts';
import type { Connector, Fetch, FetchRequest, FetchResponse, Resolver } from './port.ts';

const USER_AGENT = 'Mozilla/5.0 (compatible; Mneme)';
const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_VALIDATOR = 1_000;
/** Of a whole fetch: names, redirects and body. Milliseconds. */
const MAX_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface FetchOptions extends Policy {
  /** Null: direct connections. Variables such as `HTTP_PROXY` are ignored. */
  readonly proxy: string | null;
  /** Default: the resolver of the system. */
  readonly resolver?: Resolver;
  /** Default: TCP. */
  readonly connector?: Connector;
  /** Milliseconds. Default: 30,000. */
  readonly timeout?: number;
}

/**
 * Opens the guard. Every address that a name resolves to is checked, and the connection is made to a checked address, at each
 * redirect anew. It sends neither cookies nor credentials, also not those of the URL.
 */
export function openFetch(options: FetchOptions): Fetch {
  return { get: (address, request, use) => get(address, request, use, options) };
}

async function get<T>(
  address: string,
  request: FetchRequest,
  use: (response: FetchResponse) => Promise<T>,
  options: FetchOptions,
): Promise<T> {
  const end = new AbortController();
  const timeout = AbortSignal.timeout(options.timeout ?? MAX_MS);
  const signals = [end.signal, timeout, ...(request.signal === undefined ? [] : [request.signal])];
  const signal = AbortSignal.any(signals);
  const translate = (error: unknown): unknown =>
    request.signal?.aborted ? request.signal.reason : translated(error, timeout.aborted);
  try {
    const { target, response } = await follow(address, request, options, signal).catch((error) => {
      throw translate(error);
    });
    const limitOf = request.limitOf ?? (() => FILE_BYTES);
    return await use(responseOf(target, response, translating(bodyOf(response, limitOf), translate)));
  } finally {
    end.abort();
  }
}

/** Requests until the answer is no redirect. */
async function follow(
  address: string,
  request: FetchRequest,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<{ readonly target: Target; readonly response: IncomingMessage }> {
  const policy = { loopback: options.loopback, allow: [...options.allow, ...(request.allow ?? [])] };
  let target = targetOf(address);
  for (let redirects = 0; ; redirects += 1) {
    await unlessAborted(request.before?.(target.url), signal);
    const response = await exchange(target, request, { ...options, ...policy }, signal);
    const { statusCode = 0, headers } = response;
    const isNotModified = statusCode === 304 && hasValidator(request);
    if ((statusCode >= 200 && statusCode < 300) || isNotModified) return { target, response };
    response.destroy();
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) throw answered(response);
    if (redirects === MAX_REDIRECTS) {
      throw new FetchFailedError(
        `The address redirects more than ${MAX_REDIRECTS} times. Send the address of its end.`,
      );
    }
    target = targetOf(asUtf8(headers.location), target.url);
  }
}

/** Characters of a header are bytes; those of a `Location` that is not escaped are UTF-8, as in a browser. */
function asUtf8(location: string): string {
  const bytes = Buffer.from(location, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : location;
}

async function exchange(
  target: Target,
  request: FetchRequest,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { resolver = systemResolver, connector = tcpConnector, proxy } = options;
  const addresses = isIP(target.host) > 0 ? [target.host] : await unlessAborted(resolve(resolver, target.host), signal);
  admit(target, addresses, options);
  const route = { connector, proxy: proxy === null ? null : new URL(proxy) };
  const socket = await openConnection(target, addresses, route, signal);
  const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = send({
    path: target.url.pathname + target.url.search,
    headers: headersFor(target, request),
    setHost: false,
    createConnection: () => socket,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  outgoing.on('error', reject).once('response', answer);
  // A connection that ends without an answer, also by changing its protocol, need not be an error of the request.
  outgoing.once('close', () => reject(new FetchFailedError('The address did not answer. Check the address.')));
  outgoing.end();
  return unlessAborted(promise, signal);
}

function headersFor({ url }: Target, { accept = '*/*', etag, lastModified }: FetchRequest): Record<string, string> {
  return {
    Host: url.host,
    'User-Agent': USER_AGENT,
    Accept: accept,
    'Accept-Encoding': 'gzip, br, deflate',
    Connection: 'close',
    ...(etag && { 'If-None-Match': etag }),
    ...(lastModified && { 'If-Modified-Since': lastModified }),
  };
}

const hasValidator = ({ etag, lastModified }: FetchRequest): boolean => Boolean(etag ?? lastModified);

async function resolve(resolver: Resolver, host: string): Promise<readonly string[]> {
  try {
    const addresses = await resolver(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    const isUnknownName = (cause as NodeJS.ErrnoException).code === 'ENOTFOUND';
    throw isUnknownName ? unknownName(host, cause) : unresolved(host, { cause });
  }
  throw unknownName(host);
}

/** A name that was registered a moment ago is known later. */
const unknownName = (host: string, cause?: unknown): FetchFailedError =>
  new FetchFailedError(`The name ${host} does not exist. Check the address.`, {
    ...{ isTemporary: true, isUnknownName: true, cause },
  });

const unresolved = (host: string, options: ErrorOptions): FetchFailedError =>
  new FetchFailedError(`The name ${host} could not be resolved. Check the address.`, { isTemporary: true, ...options });

function responseOf(
  { url }: Target,
  { statusCode = 0, headers }: IncomingMessage,
  body: AsyncIterable<Uint8Array>,
): FetchResponse {
  const shown = new URL(url);
  Object.assign(shown, { username: '', password: '', hash: '' });
  return {
    url: shown.href,
    status: statusCode,
    contentType: headers['content-type'] ?? null,
    contentDisposition: headers['content-disposition'] ?? null,
    etag: validator(headers.etag),
    lastModified: validator(headers['last-modified']),
    body,
  };
}

/** It is kept, and sent again, so one that is longer than any is left out. */
const validator = (header: string | undefined): string | null =>
  header !== undefined && header.length <= MAX_VALIDATOR ? header : null;

function answered({ statusCode = 0, headers }: IncomingMessage): FetchFailedError {
  const isTemporary = statusCode === 429 || statusCode >= 500;
  const advice = isTemporary ? '' : ' Check that it can be opened without signing in.';
  const retryAfter = pauseOf(headers['retry-after']);
  return new FetchFailedError(`The address answered with status ${statusCode}.${advice}`, { isTemporary, retryAfter });
}

/** Seconds, or a date. */
function pauseOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  const pause = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(pause) && pause >= 0 ? pause : null;
}

function translated(error: unknown, isTimeout: boolean): unknown {
  const { name = '', code = '' } = error as NodeJS.ErrnoException;
  if (isTimeout || name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new FetchFailedError('The address did not answer in time.', { isTemporary: true, cause: error });
  }
  if (isMnemeError(error)) return error;
  return new FetchFailedError(`The connection to the address failed (${code || name}). Check the address.`, {
    cause: error,
  });
}

async function* translating(
  body: AsyncIterable<Uint8Array>,
  translate: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw translate(error);
  }
}
