import { Readable } from 'node:stream';
import { FetchFailedError } from '#platform/fetch';
import { mnemeError } from '#platform/kernel';
import { SourceBusyError, SourceLostError } from '../../errors.ts';

/** The API refuses one request, and others may succeed. */
export class DriveRefusedError extends mnemeError('permanent', 'drive_refused') {
  readonly status: number;
  /** Google's word for it, such as `notFound`. Empty: none. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Of a 403 that means a pause. */
const BUSY: ReadonlySet<string> = new Set([
  ...['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'sharingRateLimitExceeded', 'quotaExceeded'],
]);
/** Of a 403 that concerns the whole of the connection. */
const LOST: ReadonlySet<string> = new Set([
  ...['accessNotConfigured', 'domainPolicy', 'insufficientPermissions', 'authError', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'],
]);

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface DriveApiOptions {
  /** Base address of the API. */
  readonly address: string;
  readonly fetch: typeof globalThis.fetch;
  readonly access: { token(refused?: string | null): Promise<string> };
  readonly clock: { now(): number };
}

/** Requests to the Drive API, with the tokens of one connection. Every method throws what `#send` throws. */
export class DriveApi {
  readonly #options: DriveApiOptions;

  constructor(options: DriveApiOptions) {
    this.#options = options;
  }

  async get<T>(path: string, query: Query, signal: AbortSignal): Promise<T> {
    const response = await this.#send('GET', path, { query: { supportsAllDrives: true, ...query }, signal });
    return (await response.json()) as T;
  }

  async post<T>(path: string, query: Query, body: object, signal: AbortSignal): Promise<T | null> {
    const response = await this.#send('POST', path, { query, body: JSON.stringify(body), signal });
    const text = await response.text();
    return text === '' ? null : (JSON.parse(text) as T);
  }

  /** @param use reads the content, which ends when it returns */
  async content<T>(
    path: string,
    query: Query,
    use: (body: AsyncIterable<Uint8Array>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { body } = await this.#send('GET', path, { query, signal });
    if (body === null) return use(Readable.from([]));
    const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    try {
      return await use(stream);
    } finally {
      stream.destroy();
    }
  }

  /**
   * An access token that Google does not take any more is renewed once.
   * @throws SourceLostError; SourceBusyError; FetchFailedError (temporary: no answer, or 5xx); DriveRefusedError
   */
  async #send(
    method: string,
    path: string,
    { query, body, signal }: { query: Query; body?: string; signal: AbortSignal },
  ): Promise<Response> {
    const url = new URL(this.#options.address + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    let refused: string | null = null;
    for (;;) {
      const token = await this.#options.access.token(refused);
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const response = await this.#options.fetch(url, { method, headers, signal, ...(body !== undefined && { body }) });
      if (response.ok) return response;
      if (response.status !== 401) throw await this.#errorOf(response);
      await response.body?.cancel();
      if (refused !== null)
        throw new SourceLostError('Google does not accept the permission any more. Connect the account again.');
      refused = token;
    }
  }

  async #errorOf(response: Response): Promise<Error> {
    const { status } = response;
    const { reason, message } = explained(await response.text());
    const retryAfter = retryAfterOf(response.headers.get('retry-after'), this.#options.clock.now());
    if (status === 429 || (status === 403 && BUSY.has(reason))) {
      return new SourceBusyError('Google Drive asks for a pause.', retryAfter);
    }
    if (status >= 500) {
      return new FetchFailedError(`Google Drive answered with status ${status}.`, { isTemporary: true, retryAfter });
    }
    if (status === 403 && LOST.has(reason)) return new SourceLostError(`Google Drive refuses: ${message}`);
    return new DriveRefusedError(status, reason, message);
  }
}

/** Returns what an answer says of an error. */
function explained(text: string): { readonly reason: string; readonly message: string } {
  try {
    const { error } = JSON.parse(text) as {
      error?: { message?: string; errors?: readonly { reason?: string }[]; details?: readonly { reason?: string }[] };
    };
    const reason = error?.errors?.[0]?.reason ?? error?.details?.[0]?.reason ?? '';
    return { reason, message: (error?.message ?? 'no reason is given').slice(0, 300) };
  } catch {
    return { reason: '', message: 'no reason is given' };
  }
}

/** @returns milliseconds */
function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) && wait >= 0 ? wait : null;
}
