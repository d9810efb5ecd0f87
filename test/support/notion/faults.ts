import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

export interface Fault {
  /** Of "METHOD /path". Default: every request. */
  readonly on?: RegExp;
  /** How many requests meet it. Default: one. `Infinity`: until `mend`. */
  readonly times?: number;
  /** How many requests pass before. Default: none. */
  readonly after?: number;
  /**
   * `rate_limited`: 429; `restricted_resource`: 403; `internal_server_error`: 500; `bad_gateway`: 502 without JSON;
   * `service_unavailable`: 503; `cut`: the connection ends in the middle of the answer; `slow`: the answer comes late.
   */
  readonly kind:
    | 'rate_limited'
    | 'restricted_resource'
    | 'internal_server_error'
    | 'bad_gateway'
    | 'service_unavailable'
    | 'cut'
    | 'slow';
  /** Seconds, of `rate_limited` and `service_unavailable`. */
  readonly retryAfter?: number;
  /** Milliseconds, of `slow`. */
  readonly delay?: number;
}

const STATUS = {
  rate_limited: [429, 'You have been rate limited. Please try again in a few minutes.'],
  restricted_resource: [403, 'Insufficient permissions for this endpoint.'],
  internal_server_error: [500, 'Unexpected error occurred.'],
  service_unavailable: [503, 'Public API service is temporarily unavailable, please try again later.'],
} as const;

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

  /** @returns whether the request has been answered */
  async meet(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const fault = this.#next(`${request.method} ${request.url}`);
    if (fault === null) return false;
    if (fault.kind === 'slow') {
      await setTimeout(fault.delay ?? 0);
      return false;
    }
    const { retryAfter } = fault;
    const retry: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    if (fault.kind === 'cut') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"object":"list","results":[', () => request.socket.destroy());
    } else if (fault.kind === 'bad_gateway') {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>502 Bad Gateway</html>');
    } else {
      const [status, message] = STATUS[fault.kind];
      sendError(response, status, fault.kind, message, retry);
    }
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

export function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  send(response, status, { object: 'error', status, code, message, request_id: crypto.randomUUID() }, headers);
}
