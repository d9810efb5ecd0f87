import { LRUCache } from 'lru-cache';
import { type Fetch, FetchFailedError, FetchRefusedError } from '#platform/fetch';
import { RobotsFile } from './robots-file.ts';

const MAX_ORIGINS = 1_000;
/** Of the rules of all sites. UTF-16 code units. */
const MAX_SIZE = 8_000_000;
const KEEP_MS = 10 * 60_000;
/** As the standard (RFC 9309) asks; what follows is not read. Bytes. */
const MAX_BYTES = 512 * 1024;
const AGENT = 'mneme';

/** What the robots.txt of each site permits. */
export class RobotRules {
  readonly #fetch: Fetch;
  readonly #known = new LRUCache<string, RobotsFile>({
    max: MAX_ORIGINS,
    maxSize: MAX_SIZE,
    sizeCalculation: ({ size }) => size,
    ttl: KEEP_MS,
  });

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** @throws FetchRefusedError if the site does not want the page to be fetched; errors of the fetch that may pass */
  async check(url: URL, signal?: AbortSignal): Promise<void> {
    const robots = this.#known.get(url.origin) ?? (await this.#read(url.origin, signal));
    this.#known.set(url.origin, robots);
    if (robots.isAllowed(url)) return;
    throw new FetchRefusedError(
      `${url.host} does not permit programs to fetch this page (robots.txt). Send its text instead; the operator can set MNEME_ROBOTS=ignore.`,
    );
  }

  async #read(origin: string, signal?: AbortSignal): Promise<RobotsFile> {
    const request = { accept: 'text/plain', ...(signal && { signal }) };
    try {
      return new RobotsFile(
        await this.#fetch.get(`${origin}/robots.txt`, request, ({ body }) => beginningOf(body)),
        AGENT,
      );
    } catch (error) {
      // A site without the file, or with one that cannot be read, permits everything.
      if (error instanceof FetchFailedError && !error.isTemporary) return new RobotsFile('', AGENT);
      throw error;
    }
  }
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MAX_BYTES) break;
  }
  return Buffer.concat(pieces)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
