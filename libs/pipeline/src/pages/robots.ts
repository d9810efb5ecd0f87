import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import { type Fetch, FetchFailedError, FetchRefusedError } from '#fetch';

const MAX_ORIGINS = 1_000;
const KEEP_MS = 10 * 60_000;
/** As the standard (RFC 9309) asks. Bytes. */
const MAX_BYTES = 512 * 1024;
const AGENT = 'Mneme';

interface Robots {
  /** Undefined: the URL is of another site. */
  isAllowed(url: string, agent: string): boolean | undefined;
}

/** Its types describe a module of another form than it is. */
const parse = robotsParser as unknown as (url: string, text: string) => Robots;

/** What the robots.txt of each site permits. */
export class RobotRules {
  readonly #fetch: Fetch;
  readonly #known = new LRUCache<string, Robots>({ max: MAX_ORIGINS, ttl: KEEP_MS });

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** @throws FetchRefusedError if the site does not want the page to be fetched; errors of the fetch that may pass */
  async check(url: URL, signal?: AbortSignal): Promise<void> {
    const robots = this.#known.get(url.origin) ?? (await this.#read(url.origin, signal));
    this.#known.set(url.origin, robots);
    if (robots.isAllowed(url.href, AGENT) !== false) return;
    throw new FetchRefusedError(
      `${url.host} does not permit programs to fetch this page (robots.txt). Send its text instead; the operator can set MNEME_ROBOTS=ignore.`,
    );
  }

  async #read(origin: string, signal?: AbortSignal): Promise<Robots> {
    const address = `${origin}/robots.txt`;
    const request = { accept: 'text/plain', limitOf: () => MAX_BYTES, ...(signal && { signal }) };
    try {
      const text = await this.#fetch.get(address, request, async ({ body }) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of body) pieces.push(piece);
        return Buffer.concat(pieces).toString('utf8');
      });
      return parse(address, text);
    } catch (error) {
      // A site without the file, or with one that cannot be read, permits everything.
      if (error instanceof FetchFailedError && !error.isTemporary) return parse(address, '');
      throw error;
    }
  }
}
