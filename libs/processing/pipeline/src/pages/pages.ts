import type { Validators } from '#features/documents';
import { type Fetch, FetchFailedError, type FetchRequest, FILE_BYTES, PAGE_BYTES } from '#platform/fetch';
import { Scratch } from '#platform/kernel';
import { isWebPage } from '#processing/extraction';
import { FetchSpace, SMALL_BYTES } from './fetch-space.ts';
import { fileNameOf } from './file-name.ts';
import { RobotRules } from './robots.ts';

export interface PagesOptions {
  readonly fetch: Fetch;
  /** Of the process, for what is fetched. */
  readonly folder: string;
  readonly robots: 'respect' | 'ignore';
  /** Free disk space that no fetch uses. Bytes. Default: 0. */
  readonly minFreeBytes?: number;
  /** Large files on the disk at once, for each of the queues. Default: 8. */
  readonly places?: number;
  /** Before the second try and the following, milliseconds. Default: five tries within 15 minutes. */
  readonly pauses?: readonly number[];
}

const PAUSES = [15_000, 60_000, 180_000, 300_000];
/** Tries again of a name that does not exist. */
const MAX_UNKNOWN_NAME_RETRIES = 1;
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

/** The page is as it was at the last fetch. */
export interface UnchangedPage {
  readonly unchanged: Validators;
}

export interface PageRequest {
  readonly address: string;
  /** Of the last fetch; null: the page is wanted in any case. */
  readonly known: Validators | null;
  /** The address follows from one that `permit` was asked about, as a part of that page. */
  readonly isPart: boolean;
  /** How long the page may stay on the disk: while it is read at once, or while long work waits for its turn. */
  readonly queue: 'brief' | 'long';
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
  readonly #space: FetchSpace;

  constructor({ fetch, folder, robots, minFreeBytes = 0, places, pauses = PAUSES }: PagesOptions) {
    this.#pauses = pauses;
    this.#fetch = fetch;
    this.#scratch = new Scratch(folder);
    const few = places === undefined ? {} : { places };
    this.#space = new FetchSpace({ folder: this.#scratch.folder, minFreeBytes, ...few });
    this.#robots = robots === 'respect' ? new RobotRules(fetch) : null;
  }

  /**
   * Returns the milliseconds after which a fetch is tried again; null: it is not.
   * @param failedBefore tries that failed before this one
   */
  pauseAfter(error: unknown, failedBefore: number): number | null {
    const pause = this.#pauses[failedBefore];
    if (!(error instanceof FetchFailedError) || !error.isTemporary || pause === undefined) return null;
    if (error.isUnknownName && failedBefore >= MAX_UNKNOWN_NAME_RETRIES) return null;
    return Math.max(pause, Math.min(error.retryAfter ?? 0, MAX_ASKED));
  }

  /** Asks the rules of the site. @throws FetchRefusedError if they forbid to fetch the page; errors of the fetch */
  async permit(url: string, signal: AbortSignal): Promise<void> {
    const parsed = URL.parse(url);
    if (parsed !== null) await this.#robots?.check(parsed, signal);
  }

  /**
   * Fetches a page into a file. One that turns out to be large needs a place: if none is free, it waits for one and is fetched
   * again.
   * @throws FetchRefusedError, FetchFailedError; ResourceError; what `use` throws; the reason of the signal
   */
  async fetch<T>(
    request: PageRequest,
    signal: AbortSignal,
    use: (page: FetchedPage | UnchangedPage) => Promise<T>,
  ): Promise<T> {
    const path = this.#scratch.newPath();
    const places = this.#space[request.queue];
    let hasPlace = false;
    const mayGrow = () => {
      hasPlace ||= places.tryTake();
      return hasPlace;
    };
    try {
      let page = await this.#fetchInto(path, request, signal, mayGrow);
      if (page === 'too large') {
        await this.#scratch.remove(path);
        await places.take(signal);
        hasPlace = true;
        page = await this.#fetchInto(path, request, signal, mayGrow);
      }
      if (page === 'too large') throw new Error('a page with a place was refused one');
      return await use(page);
    } finally {
      await this.#scratch.remove(path);
      if (hasPlace) places.free();
    }
  }

  /** @param mayGrow asked when the file gets large */
  async #fetchInto(
    path: string,
    { address, known, isPart, wanted = ANY_DOCUMENT }: PageRequest,
    signal: AbortSignal,
    mayGrow: () => boolean,
  ): Promise<FetchedPage | UnchangedPage | 'too large'> {
    const request: FetchRequest = {
      ...wanted,
      ...known,
      signal,
      ...(!isPart && { before: async (url: URL) => this.#robots?.check(url, signal) }),
    };
    await this.#scratch.make();
    const reserved = [this.#space.reserve(SMALL_BYTES)];
    try {
      return await this.#fetch.get(address, request, async (response) => {
        const { etag, lastModified } = response;
        if (response.status === 304) {
          return {
            unchanged: { etag: etag ?? known?.etag ?? null, lastModified: lastModified ?? known?.lastModified ?? null },
          };
        }
        let bytes = 0;
        let isRefused = false;
        const counted = async function* (this: Pages) {
          for await (const piece of response.body) {
            const isGrowing = bytes <= SMALL_BYTES && bytes + piece.length > SMALL_BYTES;
            isRefused = isGrowing && !mayGrow();
            if (isRefused) return;
            if (isGrowing) reserved.push(this.#space.reserve(FILE_BYTES));
            bytes += piece.length;
            yield piece;
          }
        };
        await this.#scratch.copy(path, counted.call(this), signal);
        if (isRefused) return 'too large';
        return {
          path,
          bytes,
          url: response.url,
          contentType: response.contentType,
          fileName: fileNameOf(response.contentDisposition, response.url),
          validators: { etag, lastModified },
        };
      });
    } finally {
      for (const giveBack of reserved) giveBack();
    }
  }
}
