import pLimit from 'p-limit';
import { FetchFailedError, FetchRefusedError, PAGE_BYTES } from '#platform/fetch';
import type { Source, SourceItem } from '../../connector.ts';
import { ItemUnreadableError, SourceLostError } from '../../errors.ts';
import type { ConnectorTools } from '../../tools.ts';
import { Crawl } from './crawl.ts';
import { nameOf } from './crawled-item.ts';
import { readKnown } from './known-pages.ts';
import { failed, PoliteFetch } from './polite-fetch.ts';
import { addressOf, Scope } from './scope.ts';
import type { CrawlSetup } from './setup.ts';

const MOST_REDIRECTS = 5;

/** @param fetch passes the guard, without credentials */
export function openSite(setup: CrawlSetup, fetch: typeof globalThis.fetch, { config, clock }: ConnectorTools): Source {
  /** A site is asked one thing at a time. */
  const turn = pLimit(1);
  let polite: PoliteFetch | null = null;

  const start = async (signal: AbortSignal) => {
    let url = new URL(setup.startUrl);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const site = await PoliteFetch.open(fetch, url.origin, config.robots, signal);
      polite = site;
      if (!site.isAllowed(url.href)) {
        throw new SourceLostError(`${url.host} does not permit programs to read the start page (robots.txt)`);
      }
      const answer = await site.get(url.href, {}, signal);
      if (answer.ok) return { site, url, answer };
      await answer.body?.cancel();
      const location = answer.headers.get('location');
      const next = answer.status < 400 && location !== null ? URL.parse(location, url.href) : null;
      if (next === null) throw new SourceLostError(`the start page answered with status ${answer.status}`);
      if (siteOf(next) !== siteOf(url)) {
        throw new SourceLostError(`the start page has moved to another site, ${next.host}. Connect that one.`);
      }
      url = next;
    }
    throw new SourceLostError('the start page redirects without end');
  };

  return {
    async *list(cursor, signal) {
      const { site, url, answer } = await start(signal).catch((error) => {
        if (error instanceof FetchFailedError || error instanceof FetchRefusedError) {
          throw new SourceLostError(`the start page can't be reached: ${error.message}`, { cause: error });
        }
        throw error;
      });
      yield* new Crawl({
        ...{ setup, polite: site, scope: new Scope(url, setup.scope), known: readKnown(cursor) },
        ...{ start: { address: addressOf(url), answer }, now: () => clock.now(), signal },
      }).list();
    },
    fetch: (item: SourceItem, use, signal) =>
      turn(async () => {
        polite ??= await PoliteFetch.open(fetch, new URL(item.id).origin, config.robots, signal);
        const answer = await polite.get(item.id, {}, signal);
        if (!answer.ok || answer.body === null) {
          await answer.body?.cancel();
          throw answer.status >= 500
            ? failed(answer)
            : new ItemUnreadableError(`it answered with status ${answer.status}`);
        }
        const contentType = answer.headers.get('content-type');
        const most = contentType?.includes('html') ? PAGE_BYTES : Number.POSITIVE_INFINITY;
        return use({ type: null, name: nameOf(item.id), contentType, body: limited(answer.body, most) });
      }),
    close: async () => {},
  };
}

/** Of "www.example.org" and "example.org" it is the same. */
const siteOf = ({ hostname }: URL): string => hostname.replace(/^www\./, '');

async function* limited(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > most) throw new ItemUnreadableError(`the page is larger than ${most / (1024 * 1024)} MiB`);
    yield piece;
  }
}
