import { setTimeout } from 'node:timers/promises';
import parser from 'robots-parser';
import { FetchFailedError, pauseOf } from '#platform/fetch';
import { SourceBusyError } from '../../errors.ts';

interface Rules {
  isAllowed(url: string, agent: string): boolean | undefined;
  /** Seconds. */
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

// The types of the package are those of a module that it is not.
const robotsParser = parser as unknown as (url: string, text: string) => Rules;

const AGENT = 'Mneme';
const USER_AGENT = `Mozilla/5.0 (compatible; ${AGENT})`;
/** Of a pause that the site asks for in its robots.txt, milliseconds. */
const LONGEST_DELAY_MS = 30_000;
/** Without such a wish: as long as the last answer took, at most this. Milliseconds. */
const LONGEST_OWN_DELAY_MS = 1_000;
/** A longer pause ends the run for as long. Milliseconds. */
const LONGEST_WAIT_MS = 60_000;
const MOST_WAITS = 3;
const MOST_ROBOTS = 512 * 1024;

/** Answers of one site, one request after the other, with the pauses and within the rules that it asks for. */
export class PoliteFetch {
  readonly #fetch: typeof globalThis.fetch;
  readonly #rules: Rules;
  readonly #delay: number | null;
  /** Of the last request. Milliseconds. */
  #took = 0;

  private constructor(fetch: typeof globalThis.fetch, rules: Rules) {
    this.#fetch = fetch;
    this.#rules = rules;
    const seconds = rules.getCrawlDelay(AGENT);
    this.#delay = seconds === undefined ? null : Math.min(seconds * 1_000, LONGEST_DELAY_MS);
  }

  /**
   * Reads the robots.txt of a site. One that is not there permits everything.
   * @throws FetchFailedError; SourceBusyError. While it can't be read, nothing else is
   */
  static async open(fetch: typeof globalThis.fetch, origin: string, robots: 'respect' | 'ignore', signal: AbortSignal) {
    const address = `${origin}/robots.txt`;
    if (robots === 'ignore') return new PoliteFetch(fetch, robotsParser(address, ''));
    const answer = await fetch(address, { headers: { 'user-agent': USER_AGENT, accept: 'text/plain' }, signal });
    if (answer.status === 429 || answer.status >= 500) {
      await answer.body?.cancel();
      const pause = pauseOf(answer.headers.get('retry-after'));
      throw new SourceBusyError(`robots.txt answered with status ${answer.status}`, pause);
    }
    const text = answer.ok ? await beginningOf(answer) : '';
    if (!answer.ok) await answer.body?.cancel();
    return new PoliteFetch(fetch, robotsParser(address, text));
  }

  get sitemaps(): readonly string[] {
    return this.#rules.getSitemaps();
  }

  isAllowed(address: string): boolean {
    return this.#rules.isAllowed(address, AGENT) !== false;
  }

  /**
   * Requests a page; redirects are returned. A site that asks for a short pause gets it.
   * @throws FetchFailedError; FetchRefusedError; SourceBusyError for a long pause
   */
  async get(address: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    for (let waits = 0; ; waits += 1) {
      await setTimeout(this.#delay ?? Math.min(this.#took, LONGEST_OWN_DELAY_MS), undefined, { signal });
      const began = performance.now();
      const request = { 'user-agent': USER_AGENT, ...headers };
      const answer = await this.#fetch(address, { headers: request, redirect: 'manual', signal });
      this.#took = performance.now() - began;
      const pause = pauseOf(answer.headers.get('retry-after'));
      if (answer.status !== 429 && (answer.status !== 503 || pause === null)) return answer;
      await answer.body?.cancel();
      if (pause === null || pause > LONGEST_WAIT_MS || waits === MOST_WAITS) {
        throw new SourceBusyError(`${new URL(address).host} asks for a pause`, pause);
      }
      await setTimeout(pause, undefined, { signal });
    }
  }
}

async function beginningOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MOST_ROBOTS) break;
  }
  return Buffer.concat(pieces).subarray(0, MOST_ROBOTS).toString();
}

/** What is said of an answer that is no page. */
export const failed = ({ status }: Response): FetchFailedError =>
  new FetchFailedError(`The address answered with status ${status}.`, {
    isTemporary: status === 429 || status >= 500,
  });
