/** What a browser keeps of an answer, and what it saw. */
export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, looked into by the tests
  readonly body: any;
  /** Where the redirects ended. */
  readonly url: string;
}

export interface Journey {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends before the address with this beginning is asked for. */
  readonly until?: string;
}

/** A browser as far as cookies, redirects and the header Origin go. */
export class Visitor {
  /** By the origin, then by name. */
  readonly cookies = new Map<string, Map<string, string>>();
  readonly #address: string;
  #server: string;

  /**
   * @param address under which the browser knows the server
   * @param server where it listens, behind what ends TLS
   */
  constructor(address: string, server: string) {
    this.#address = address;
    this.#server = server;
  }

  get origin(): string {
    return new URL(this.#address).origin;
  }

  /** The server listens elsewhere from now on. */
  moveTo(server: string): void {
    this.#server = server;
  }

  /** The cookie of the session; undefined: there is none. */
  get session(): string | undefined {
    return [...(this.cookies.get(this.origin) ?? [])].find(([name]) => name.endsWith('mneme_session'))?.[1];
  }

  set session(value: string | undefined) {
    const name = this.#address.startsWith('https:') ? '__Host-mneme_session' : 'mneme_session';
    this.#keep(this.origin, name, value ?? '');
  }

  /** Asks the server as a page of it does, and follows redirects. @param path of the server, or an address */
  async visit(path: string, journey: Journey = {}): Promise<Visit> {
    let url = path.startsWith('/') ? this.#address + path : path;
    let method = journey.method ?? 'GET';
    for (let hops = 0; hops < 20; hops += 1) {
      const answer = await this.#ask(url, method, journey);
      const location = answer.headers.get('location');
      const next = location === null || answer.status >= 400 ? null : new URL(location, url).href;
      if (next === null || (journey.until !== undefined && next.startsWith(journey.until))) {
        const text = await answer.text();
        const body = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
        return { status: answer.status, headers: answer.headers, body, url: next ?? url };
      }
      await answer.body?.cancel();
      [url, method] = [next, 'GET'];
    }
    throw new Error(`too many redirects, the last one to ${url}`);
  }

  async #ask(url: string, method: string, { body, headers = {} }: Journey): Promise<Response> {
    const { origin } = new URL(url);
    const kept = [...(this.cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
    const sent = method === 'GET' ? undefined : body;
    const answer = await fetch(url.startsWith(this.#address) ? this.#server + url.slice(this.#address.length) : url, {
      method,
      redirect: 'manual',
      headers: {
        ...(kept.length > 0 && { cookie: kept.join('; ') }),
        ...(method !== 'GET' && { origin: this.origin }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined) this.#keep(origin, name, /max-age=0/i.test(cookie) ? '' : (value ?? ''));
    }
    return answer;
  }

  #keep(origin: string, name: string, value: string): void {
    const kept = this.cookies.get(origin) ?? new Map<string, string>();
    if (value === '') kept.delete(name);
    else kept.set(name, value);
    this.cookies.set(origin, kept);
  }
}
