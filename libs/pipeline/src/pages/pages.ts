import type { Validators } from '#documents';
import { isWebPage } from '#extraction';
import { type Fetch, FetchFailedError, type FetchRequest, FILE_BYTES, PAGE_BYTES } from '#fetch';
import { Scratch } from '#kernel';
import { fileNameOf } from './file-name.ts';
import { RobotRules } from './robots.ts';

export interface PagesOptions {
  readonly fetch: Fetch;
  /** Of the process, for what is fetched. */
  readonly folder: string;
  readonly robots: 'respect' | 'ignore';
  /** Before the second try and the following, milliseconds. Default: five tries within 15 minutes. */
  readonly pauses?: readonly number[];
}

const PAUSES = [15_000, 60_000, 180_000, 300_000];
/** What a server asks for with `Retry-After` counts up to this. Milliseconds. */
const MAX_ASKED = 120_000;

/** What is at a URL, in a file that is removed after its use. */
export interface FetchedPage {
  readonly path: string;
  readonly bytes: number;
  /** After redirects. */
  readonly url: string;
  readonly contentType: string | null;
  readonly fileName: string | null;
  readonly validators: Validators;
}

export interface PageRequest {
  readonly address: string;
  /** Of the last fetch; null: the page is wanted in any case. */
  readonly known: Validators | null;
  /** The address follows from one that `permit` was asked about, as a part of that page. */
  readonly isPart: boolean;
  /** What the response may be. Absent: any document. */
  readonly wanted?: Pick<FetchRequest, 'accept' | 'limitOf'>;
}

const ANY_DOCUMENT: PageRequest['wanted'] = {
  accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  limitOf: (body) => (isWebPage(body) ? PAGE_BYTES : FILE_BYTES),
};

/** Fetches what callers give as a URL. */
export class Pages {
  readonly #fetch: Fetch;
  readonly #scratch: Scratch;
  readonly #robots: RobotRules | null;
  readonly #pauses: readonly number[];

  constructor({ fetch, folder, robots, pauses = PAUSES }: PagesOptions) {
    this.#pauses = pauses;
    this.#fetch = fetch;
    this.#scratch = new Scratch(folder);
    this.#robots = robots === 'respect' ? new RobotRules(fetch) : null;
  }

  /**
   * Returns the milliseconds after which a fetch is tried again; null: it is not.
   * @param failedBefore tries that failed before this one
   */
  pauseAfter(error: unknown, failedBefore: number): number | null {
    const pause = this.#pauses[failedBefore];
    if (!(error instanceof FetchFailedError) || !error.isTemporary || pause === undefined) return null;
    return Math.max(pause, Math.min(error.retryAfter ?? 0, MAX_ASKED));
  }

  /** Asks the rules of the site. @throws FetchRefusedError if they forbid to fetch the page; errors of the fetch */
  async permit(url: string, signal: AbortSignal): Promise<void> {
    const parsed = URL.parse(url);
    if (parsed !== null) await this.#robots?.check(parsed, signal);
  }

  /**
   * @param use gets null if the page has not changed
   * @throws FetchRefusedError, FetchFailedError; ResourceError; what `use` throws; the reason of the signal
   */
  async fetch<T>(
    { address, known, isPart, wanted = ANY_DOCUMENT }: PageRequest,
    signal: AbortSignal,
    use: (page: FetchedPage | { readonly unchanged: Validators }) => Promise<T>,
  ): Promise<T> {
    const path = this.#scratch.newPath();
    const request: FetchRequest = {
      ...wanted,
      ...known,
      signal,
      ...(!isPart && { before: async (url: URL) => this.#robots?.check(url, signal) }),
    };
    try {
      const page = await this.#fetch.get(address, request, async (response) => {
        const { etag, lastModified } = response;
        if (response.status === 304) {
          return {
            unchanged: { etag: etag ?? known?.etag ?? null, lastModified: lastModified ?? known?.lastModified ?? null },
          };
        }
        let bytes = 0;
        const counted = async function* () {
          for await (const piece of response.body) {
            bytes += piece.length;
            yield piece;
          }
        };
        await this.#scratch.copy(path, counted(), signal);
        return {
          path,
          bytes,
          url: response.url,
          contentType: response.contentType,
          fileName: fileNameOf(response.contentDisposition, response.url),
          validators: { etag, lastModified },
        };
      });
      return await use(page);
    } finally {
      await this.#scratch.remove(path);
    }
  }
}
