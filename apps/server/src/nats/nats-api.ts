import { headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { newId } from '#platform/kernel';
import { ApiError, errorBody, NATS_ADDRESS, STATUS_OF } from '../http/index.ts';

/** The part of Nest's application on Fastify that serves requests over NATS. */
export interface HttpFront {
  inject(request: {
    readonly method: 'POST';
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly remoteAddress: string;
    readonly payload: Buffer;
  }): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly rawPayload: Buffer;
  }>;
}

export interface NatsApiOptions {
  /** Owned by the caller: neither drained nor closed here. */
  readonly connection: NatsConnection;
  readonly http: HttpFront;
  readonly logger: { error(message: string, cause?: unknown): void };
  /** First token of the subjects. Default: `mneme`. */
  readonly prefix?: string;
}

const ROUTES: Readonly<Record<string, string>> = { add: '/v3/documents', search: '/v4/search' };
/** Concurrency limit; a request above it is refused with 503. */
const MAX_RUNNING = 256;
/** Reserved for the headers of an answer. */
const HEADER_BYTES = 4_096;
/** Headers of an HTTP connection. */
const NOT_PASSED =
  /^(connection|content-length|date|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|nats-.*)$/i;

/**
 * Answers requests on `mneme.api.add` and `mneme.api.search` like POST /v3/documents and POST /v4/search. Passes them to
 * the HTTP application, so key check, rate limit, validation and answers are the same. The header `Status` of the answer
 * holds the HTTP status. Processes share the requests.
 */
export class NatsApi {
  readonly #options: NatsApiOptions;
  readonly #subscriptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: NatsApiOptions) {
    const { connection, prefix = 'mneme' } = options;
    this.#options = options;
    this.#subscriptions = Object.entries(ROUTES).map(([name, url]) =>
      connection.subscribe(`${prefix}.api.${name}`, {
        queue: `${prefix}-api`,
        callback: (error, message) => {
          if (error === null) this.#accept(url, message);
          else options.logger.error(`requests over NATS: ${error.message}`);
        },
      }),
    );
  }

  /** Stops accepting and waits for open requests. Call it before the HTTP application closes. */
  async close(): Promise<void> {
    const open = this.#subscriptions.filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
    await Promise.all(this.#running);
  }

  #accept(url: string, message: Msg): void {
    if (this.#running.size >= MAX_RUNNING) {
      const busy = new ApiError('unavailable', 'Too many requests at once', null, { 'retry-after': '1' });
      this.#refuse(message, busy);
      return;
    }
    const answering = this.#answer(url, message)
      .catch((error: unknown) => {
        this.#options.logger.error(`${url} over NATS: ${String(error)}`, error);
        this.#refuse(message, new ApiError('internal', 'Something went wrong on the server'));
      })
      .finally(() => this.#running.delete(answering));
    this.#running.add(answering);
  }

  async #answer(url: string, message: Msg): Promise<void> {
    const given = { 'content-type': 'application/json', ...headersOf(message.headers) };
    const payload = Buffer.from(message.data);
    const request = { method: 'POST', url, headers: given, remoteAddress: NATS_ADDRESS, payload } as const;
    const answer = await this.#options.http.inject(request);
    const most = (this.#options.connection.info?.max_payload ?? 0) - HEADER_BYTES;
    if (answer.rawPayload.length > most) {
      const text = `The answer is longer than the ${most} bytes that NATS carries; ask for less, or over HTTP`;
      this.#refuse(message, new ApiError('payload_too_large', text));
      return;
    }
    this.#respond(message, answer.statusCode, answer.headers, answer.rawPayload);
  }

  #refuse(message: Msg, error: ApiError): void {
    const body = JSON.stringify(errorBody(error, newId()));
    const type = { 'content-type': 'application/json; charset=utf-8' };
    this.#respond(message, STATUS_OF[error.code], { ...type, ...error.headers }, body);
  }

  #respond(message: Msg, status: number, given: Readonly<Record<string, unknown>>, body: Buffer | string): void {
    const carried = headers();
    carried.set('Status', String(status));
    for (const [name, value] of Object.entries(given)) {
      if (!NOT_PASSED.test(name)) carried.set(name, String(value));
    }
    try {
      message.respond(body, { headers: carried });
    } catch (error) {
      this.#options.logger.error(`an answer over NATS could not be sent: ${String(error)}`, error);
    }
  }
}

function headersOf(given: MsgHdrs | undefined): Record<string, string> {
  const names = (given?.keys() ?? []).filter((name) => !NOT_PASSED.test(name));
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), given?.get(name) ?? '']));
}
