import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, request as send } from 'node:http';
import { unlessAborted } from '#platform/kernel';
import { type ConnectionOptions, MAX_HEADER_BYTES, openAdmitted } from './admitted-connection.ts';
import { bodyOf, FILE_BYTES, type PackedBody } from './body.ts';
import { FetchFailedError, translated } from './errors.ts';
import { pauseOf } from './pause.ts';
import { type Target, targetOf } from './policy.ts';
import type { Fetch, FetchRequest, FetchResponse } from './port.ts';

const USER_AGENT = 'Mozilla/5.0 (compatible; Mneme)';
const MAX_REDIRECTS = 5;
const MAX_VALIDATOR = 1_000;
/** Of a whole fetch: names, redirects and body. Milliseconds. */
const MAX_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface FetchOptions extends ConnectionOptions {
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
    return await use(responseOf(target, response, translating(bodyOf(packed(response), limitOf), translate)));
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
  const socket = await openAdmitted(target, options, signal);
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

const packed = (response: IncomingMessage): PackedBody => ({
  contentType: response.headers['content-type'] ?? null,
  encoding: response.headers['content-encoding'] ?? null,
  bytes: response,
});

const hasValidator = ({ etag, lastModified }: FetchRequest): boolean => Boolean(etag ?? lastModified);

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
  const retryAfter = pauseOf(headers['retry-after'] ?? null);
  return new FetchFailedError(`The address answered with status ${statusCode}.${advice}`, { isTemporary, retryAfter });
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
