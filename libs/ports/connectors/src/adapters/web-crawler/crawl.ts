import { FetchFailedError, FetchRefusedError } from '#platform/fetch';
import type { ListingPage, SourceItem } from '../../connector.ts';
import { SourceBusyError } from '../../errors.ts';
import { itemOf, nameOf } from './crawled-item.ts';
import { cursorOf, type KnownPage } from './known-pages.ts';
import type { PoliteFetch } from './polite-fetch.ts';
import type { Scope } from './scope.ts';
import type { CrawlSetup } from './setup.ts';
import { readSitemap } from './sitemap.ts';
import { read } from './visit.ts';

const ACCEPT = 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8';
/** Addresses that wait or were visited, for each page that a crawl may have. */
const SEEN_FACTOR = 20;
const MOST_SITEMAPS = 100;
/** Of a page of the listing. */
const MOST_ITEMS = 50;
const MOST_BYTES = 1024 * 1024;

export interface CrawlOptions {
  readonly setup: CrawlSetup;
  readonly polite: PoliteFetch;
  readonly scope: Scope;
  /** The address of the start page, and its answer. */
  readonly start: { readonly address: string; readonly answer: Response };
  /** By an earlier crawl. */
  readonly known: ReadonlyMap<string, KnownPage>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly address: string;
  readonly depth: number;
  /** Another page names it as the address of its content. */
  isCanonical: boolean;
}

/** One walk over a site, from its start page and its sitemaps, nearest pages first. */
export class Crawl {
  readonly #options: CrawlOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #seen = new Set<string>();
  readonly #pages: KnownPage[] = [];
  #items: SourceItem[] = [];
  #bytes = 0;
  readonly #gone: string[] = [];
  /** Nothing was left out that may lead to other pages. */
  #isWhole = true;

  constructor(options: CrawlOptions) {
    this.#options = options;
  }

  async *list(): AsyncGenerator<ListingPage> {
    const { setup, start, signal } = this.#options;
    this.#add(start.address, 0);
    let visited = 0;
    for (const waiting of this.#inOrder()) {
      signal.throwIfAborted();
      if (visited === setup.maxPages) {
        this.#isWhole = false;
        break;
      }
      if (!this.#options.polite.isAllowed(waiting.address)) continue;
      visited += 1;
      await this.#visit(waiting);
      // The answer of the start page was there, and would not wait.
      if (visited === 1) await this.#readSitemaps();
      if (this.#items.length < MOST_ITEMS && this.#bytes < MOST_BYTES) continue;
      yield { items: this.#take(), removed: [], ends: null };
    }
    const listing = this.#isWhole ? 'complete' : 'changes';
    yield { items: this.#take(), removed: this.#gone, ends: { listing, cursor: cursorOf(this.#pages) } };
  }

  /** Also those that are added meanwhile. */
  *#inOrder(): Generator<Waiting> {
    for (let next = this.#waiting.values().next(); !next.done; next = this.#waiting.values().next()) {
      this.#waiting.delete(next.value.address);
      yield next.value;
    }
  }

  #take(): SourceItem[] {
    const items = this.#items;
    [this.#items, this.#bytes] = [[], 0];
    return items;
  }

  #add(address: string, depth: number, isCanonical = false): void {
    const waiting = this.#waiting.get(address);
    if (waiting !== undefined) waiting.isCanonical ||= isCanonical;
    const { maxPages, maxDepth } = this.#options.setup;
    if (this.#seen.has(address) || depth > maxDepth) return;
    if (this.#seen.size >= maxPages * SEEN_FACTOR) {
      this.#isWhole = false;
      return;
    }
    this.#seen.add(address);
    this.#waiting.set(address, { address, depth, isCanonical });
  }

  async #visit(waiting: Waiting): Promise<void> {
    const { address, depth } = waiting;
    const { known: all, start, polite, scope, signal } = this.#options;
    const known = all.get(address);
    try {
      const answer = start.address === address ? start.answer : await polite.get(address, conditions(known), signal);
      if (answer.ok) return await this.#keep(waiting, answer);
      await answer.body?.cancel();
      const location = answer.headers.get('location');
      if (answer.status === 304 && known !== undefined) this.#found(known, depth);
      else if (answer.status < 400 && location !== null) {
        const target = scope.admit(location, new URL(address));
        if (target !== null) this.#add(target, depth, true);
      } else if (answer.status === 404 || answer.status === 410) this.#gone.push(address);
      else if (answer.status >= 500 || known !== undefined) this.#fail(waiting, known);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchFailedError || error instanceof FetchRefusedError)) throw error;
      this.#fail(waiting, known);
    }
  }

  async #keep({ address, depth, isCanonical }: Waiting, answer: Response): Promise<void> {
    const { page, content, canonical, isHidden } = await read(address, answer, this.#options.scope);
    if (canonical !== null && !isCanonical) {
      for (const link of page.links) this.#add(link, depth + 1);
      this.#add(canonical, depth, true);
      return;
    }
    if (isHidden) for (const link of page.links) this.#add(link, depth + 1);
    else this.#found(page, depth, content);
  }

  #found(page: KnownPage, depth: number, content?: SourceItem['content']): void {
    this.#pages.push(page);
    this.#items.push({ ...itemOf(page, this.#options.now()), ...(content !== undefined && { content }) });
    if (content !== undefined) this.#bytes += page.size ?? 0;
    for (const link of page.links) this.#add(link, depth + 1);
  }

  /** What leads on from it is not known, or may be others now. It is listed as something that is to be read once more. */
  #fail({ address, depth }: Waiting, known: KnownPage | undefined): void {
    this.#isWhole = false;
    const { now } = this.#options;
    const unknown = { etag: null, lastModified: null, contentType: null, size: null, links: [] };
    const page = { ...unknown, title: nameOf(address), ...known, address, version: `unread ${now()}` };
    this.#items.push(itemOf(page, now()));
    for (const link of page.links) this.#add(link, depth + 1);
  }

  async #readSitemaps(): Promise<void> {
    const { polite, scope, start, setup, signal } = this.#options;
    const base = new URL(start.address);
    const waiting = polite.sitemaps.length > 0 ? [...polite.sitemaps] : [`${base.origin}/sitemap.xml`];
    const read = new Set<string>();
    for (let next = waiting.shift(); next !== undefined && read.size < MOST_SITEMAPS; next = waiting.shift()) {
      const address = URL.parse(next, base.href)?.href;
      if (address === undefined || read.has(address)) continue;
      read.add(address);
      try {
        const answer = await polite.get(address, { accept: 'application/xml,text/xml,*/*;q=0.5' }, signal);
        if (!answer.ok || answer.body === null) {
          if (answer.status >= 500) this.#isWhole = false;
          await answer.body?.cancel();
          const location = answer.headers.get('location');
          if (answer.status < 400 && location !== null) waiting.push(new URL(location, address).href);
          continue;
        }
        const { pages, sitemaps } = await readSitemap(answer.body, setup.maxPages * SEEN_FACTOR);
        for (const page of pages) {
          const admitted = scope.admit(page, base);
          if (admitted !== null) this.#add(admitted, Math.min(1, setup.maxDepth));
        }
        waiting.push(...sitemaps.slice(0, MOST_SITEMAPS));
      } catch (error) {
        signal.throwIfAborted();
        // A sitemap is a help: one that can't be read leaves the pages that are linked.
        if (error instanceof SourceBusyError) throw error;
        this.#isWhole = false;
      }
    }
  }
}

const conditions = (known: KnownPage | undefined): Record<string, string> => ({
  accept: ACCEPT,
  ...(known?.etag && { 'if-none-match': known.etag }),
  ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
});
