import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from '../installation/installation.ts';
import type { ServerProcess } from '../installation/server-process.ts';
import type { OpenKey } from '../keys.ts';
import type { Random } from '../random.ts';
import type { Report } from '../report.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  /** A function makes a new form for each attempt. */
  readonly body?: object | (() => FormData);
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, looked into by the client
  readonly body: any;
  /** 1: no earlier attempt can have been carried out. */
  readonly attempt: number;
  /** What answered, and how often it had been started. */
  readonly api: ServerProcess;
  readonly life: number;
}

export interface SendOptions {
  /** Some requests are not sent again. Default: false. */
  readonly mayGiveUp?: boolean;
}

/** These leave open whether the request was carried out. */
const UNAVAILABLE: readonly number[] = [429, 503];
/** Pause before the next attempt. Milliseconds. */
const AGAIN_MS = [100, 400] as const;
const SHARE_GIVEN_UP = 0.1;
/** Longer than every fault and the recovery from it. Milliseconds. */
const PATIENCE_MS = 180_000;

/** Sends the requests of one key, each attempt to any API process. */
export class Connection {
  readonly #key: OpenKey;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: Report;

  constructor(key: OpenKey, installation: Installation, random: Random, report: Report) {
    this.#key = key;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /**
   * Sends a request until it is answered, as the public clients do: after a lost connection or a 503 it is sent again as a
   * retry. Returns null if the outcome is unknown.
   */
  async send(request: Request, { mayGiveUp = false }: SendOptions = {}): Promise<Reply | null> {
    const end = Date.now() + PATIENCE_MS;
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.#attempt(request, attempt);
      if (reply !== null && !UNAVAILABLE.includes(reply.status)) {
        this.#report.count('requests answered');
        if (attempt > 1) this.#report.count('requests answered at a later attempt');
        return reply;
      }
      this.#report.count(reply === null ? 'attempts without an answer' : `attempts answered with ${reply.status}`);
      if (mayGiveUp && this.#random.chance(SHARE_GIVEN_UP)) {
        this.#report.count('writes given up, outcome unknown');
        return null;
      }
      if (Date.now() > end) {
        this.#report.violation(`${request.method} ${request.path}: no answer within ${PATIENCE_MS / 1_000} s`);
        return null;
      }
      await pause(this.#random.int(...AGAIN_MS));
    }
  }

  /** Returns null if no complete answer arrived. */
  async #attempt({ method, path, body, headers }: Request, attempt: number): Promise<Reply | null> {
    const api = this.#random.pick(this.#installation.apis);
    const { life, url } = api;
    const sent = typeof body === 'function' ? body() : body && JSON.stringify(body);
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key.secret}`,
          ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
          ...(attempt > 1 && { 'x-stainless-retry-count': String(attempt - 1) }),
          ...headers,
        },
        ...(sent !== undefined && { body: sent }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return { status: response.status, body: isJson ? JSON.parse(text) : text, attempt, api, life };
    } catch {
      return null;
    }
  }
}
