import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from './api-error.ts';

/** Retries of these are described by Google, except `pageTokenGone`, after which a client begins from the beginning. */
const ERRORS = {
  rateLimitExceeded: new ApiError(403, 'rateLimitExceeded', 'Rate Limit Exceeded', null, 'usageLimits'),
  userRateLimitExceeded: new ApiError(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded', null, 'usageLimits'),
  tooManyRequests: new ApiError(429, 'rateLimitExceeded', 'Rate Limit Exceeded', null, 'usageLimits'),
  dailyLimitExceeded: new ApiError(403, 'dailyLimitExceeded', 'Daily Limit Exceeded', null, 'usageLimits'),
  invalidCredentials: new ApiError(401, 'authError', 'Invalid Credentials', 'Authorization'),
  pageTokenGone: new ApiError(410, 'gone', 'The page token is no longer valid.', 'pageToken'),
  backendError: new ApiError(500, 'backendError', 'Internal Error'),
  unavailable: new ApiError(503, 'backendError', 'The service is currently unavailable.'),
};

export interface Fault {
  /** Of "METHOD /path?query". Default: every request to the API. */
  readonly on?: RegExp;
  /** How many requests meet it. Default: one. `Infinity`: until `mend`. */
  readonly times?: number;
  /** How many requests pass before. Default: none. */
  readonly after?: number;
  /** `badGateway`: 502 without JSON; `cut`: the connection ends in the middle of the answer; `slow`: it comes late. */
  readonly kind: keyof typeof ERRORS | 'badGateway' | 'cut' | 'slow';
  /** Seconds. */
  readonly retryAfter?: number;
  /** Milliseconds, of `slow`. */
  readonly delay?: number;
}

/** What goes wrong on purpose. */
export class Faults {
  #waiting: { fault: Fault; passed: number; met: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, passed: 0, met: 0 });
  }

  /** Everything answers again. */
  mend(): void {
    this.#waiting = [];
  }

  /**
   * @returns whether the request has been answered
   * @throws ApiError
   */
  async meet(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const fault = this.#next(`${request.method} ${request.url}`);
    if (fault === null) return false;
    const { kind, retryAfter, delay = 0 } = fault;
    if (kind === 'slow') {
      await setTimeout(delay);
      return false;
    }
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    if (kind === 'badGateway') {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Error 502 (Server Error)!!1</html>');
    } else if (kind === 'cut') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"kind": "drive#fileList", "files": [', () => request.socket.destroy());
    } else throw ERRORS[kind];
    return true;
  }

  #next(asked: string): Fault | null {
    for (const one of this.#waiting) {
      const { on, times = 1, after = 0 } = one.fault;
      if (on !== undefined && !on.test(asked)) continue;
      if (one.passed < after) {
        one.passed += 1;
        continue;
      }
      if (one.met >= times) continue;
      one.met += 1;
      return one.fault;
    }
    return null;
  }
}
