import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { PAGE_BYTES } from '#platform/fetch';
import type { JsonObject } from '#platform/kernel';
import { listen } from '../../../../../../test/support/listen.ts';
import type { Source } from '../../connector.ts';
import { sourceContract } from '../../source.contract.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { contentOf, type Listed, listed, opened } from '../../testing/opened.ts';
import { webCrawler } from './web-crawler.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

let server: Server;
let origin: string;
let pages: Record<string, Answer | ((headers: IncomingHttpHeaders) => Answer)>;
let asked: string[];

beforeEach(async () => {
  [pages, asked] = [{}, []];
  server = createServer(({ url = '/', headers }, response) => {
    asked.push(url);
    const found = pages[url] ?? { status: 404 };
    const { status = 200, headers: more = {}, body = '' } = typeof found === 'function' ? found(headers) : found;
    response.writeHead(status, { 'Content-Type': 'text/html', ...more }).end(body);
  });
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

const page = (text: string, ...links: string[]): Answer => ({
  body: `<html><head><title>${text}</title></head><body><p>${text}</p>${links.map((to) => `<a href="${to}">x</a>`).join('')}</body></html>`,
});

const open = (metadata: JsonObject = {}): Promise<Source> =>
  opened(webCrawler(toolsFor({})), { startUrl: `${origin}/`, ...metadata });

const paths = ({ items }: Listed) => items.map(({ path }) => path).sort();
const versions = ({ items }: Listed) => new Map(items.map(({ path, version }) => [path, version]));
const crawled = () => asked.filter((path) => !['/robots.txt', '/sitemap.xml'].includes(path));

test('walks from the start page over pages and files of the site, each once', async () => {
  pages = {
    '/': page('Home', '/a', 'b?x=1#part', '/a#again', 'https://elsewhere.test/', 'mailto:x@y.test', '/style.css'),
    '/a': page('Page A', '/', '/file.pdf', '/a?utm_source=mail'),
    '/b?x=1': page('Page B'),
    '/file.pdf': { headers: { 'Content-Type': 'application/pdf', ETag: '"p1"' }, body: '%PDF' },
  };
  const source = await open();
  const all = await listed(source);
  expect(paths(all)).toEqual(['/', '/a', '/b?x=1', '/file.pdf']);
  expect(all.ends.listing).toBe('complete');
  const home = all.items.find(({ path }) => path === '/');
  expect(home).toMatchObject({ id: `${origin}/`, title: 'Home', link: `${origin}/`, contentType: 'text/html' });
  expect(crawled().sort()).toEqual(['/', '/a', '/b?x=1', '/file.pdf']);
  const pdf = all.items.find(({ path }) => path === '/file.pdf');
  expect(pdf).toMatchObject({ version: '"p1"', title: 'file.pdf', contentType: 'application/pdf' });
  expect(await contentOf(source, pdf as Listed['items'][number])).toBe('%PDF');
  expect(await contentOf(source, home as Listed['items'][number])).toContain('<p>Home</p>');
});

test('takes what lies below the start page, or all of the site', async () => {
  pages = {
    '/docs/': page('Docs', '/docs/one', '/blog'),
    '/docs/one': page('One'),
    '/blog': page('Blog'),
  };
  const startUrl = `${origin}/docs/`;
  expect(paths(await listed(await open({ startUrl })))).toEqual(['/docs/', '/docs/one']);
  expect(paths(await listed(await open({ startUrl, scope: 'site' })))).toEqual(['/blog', '/docs/', '/docs/one']);
});

test('a page that has not changed answers 304, and its links are followed all the same', async () => {
  const cached =
    (etag: string, answer: Answer) =>
    (headers: IncomingHttpHeaders): Answer =>
      headers['if-none-match'] === etag ? { status: 304 } : { ...answer, headers: { ETag: etag } };
  pages = {
    '/': page('Home', '/list'),
    '/list': cached('"l1"', page('List', '/one', '/two')),
    '/one': page('One'),
    '/two': cached('"t1"', page('Two')),
  };
  const source = await open();
  const first = await listed(source);
  pages['/one'] = page('One, edited');
  const second = await listed(source, first.ends.cursor);
  expect(paths(second)).toEqual(['/', '/list', '/one', '/two']);
  const [before, after] = [versions(first), versions(second)];
  expect([...before].filter(([path, version]) => after.get(path) !== version).map(([path]) => path)).toEqual(['/one']);
  expect(second.items.filter(({ content }) => content !== undefined).map(({ path }) => path)).toEqual(['/', '/one']);
  expect(second.items.find(({ path }) => path === '/two')?.title).toBe('Two');
});

test('codes that a server writes anew for each reader are no change', async () => {
  let count = 0;
  pages['/'] = () => {
    count += 1;
    const head = `<meta name="csrf-token" content="${count}"><script>var a=${count}</script>`;
    return { body: `<html><head>${head}</head><body data-at="${count}"><p>Same</p></body></html>` };
  };
  const source = await open();
  const [first, second] = [await listed(source), await listed(source)];
  expect(versions(second)).toEqual(versions(first));
});

test('one document for each canonical address', async () => {
  const canonical = (text: string, to: string) => ({
    body: `<head><title>${text}</title><link rel="canonical" href="${to}"></head><p>${text}</p>`,
  });
  pages = {
    '/': page('Home', '/print?a=1', '/moved', '/x', '/loop/1'),
    '/print?a=1': canonical('Article', '/article'),
    '/article': canonical('Article', '/article'),
    '/moved': { status: 301, headers: { Location: '/article' } },
    '/x': canonical('X', '/y'),
    '/y': canonical('Y', '/x'),
    '/loop/1': { status: 302, headers: { Location: '/loop/2' } },
    '/loop/2': { status: 302, headers: { Location: '/loop/1' } },
  };
  expect(paths(await listed(await open()))).toEqual(['/', '/article', '/y']);
});

test('robots.txt is respected, in files and in pages', async () => {
  pages = {
    '/robots.txt': { body: 'User-agent: *\nDisallow: /private', headers: { 'Content-Type': 'text/plain' } },
    '/': page('Home', '/private/a', '/hidden', '/end', '/header'),
    '/hidden': { body: '<meta name="robots" content="noindex"><a href="/behind">x</a>' },
    '/behind': page('Behind'),
    '/end': { body: '<meta name="robots" content="nofollow"><title>End</title><a href="/after">x</a>' },
    '/header': { body: 'x', headers: { 'X-Robots-Tag': 'noindex' } },
  };
  expect(paths(await listed(await open()))).toEqual(['/', '/behind', '/end']);
  expect(asked).not.toContain('/private/a');
  expect(asked).not.toContain('/after');
});

test('sitemaps bring pages to which nothing leads: from robots.txt, of an index, compressed', async () => {
  const map = (...urls: string[]) => `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
  pages = {
    '/robots.txt': { body: `Sitemap: ${origin}/index.xml`, headers: { 'Content-Type': 'text/plain' } },
    '/index.xml': {
      body: `<sitemapindex><sitemap><loc>${origin}/1.xml.gz</loc></sitemap><sitemap><loc>${origin}/2.xml</loc></sitemap></sitemapindex>`,
    },
    '/1.xml.gz': { body: gzipSync(map(`${origin}/one?a=1&amp;b=2`)), headers: { 'Content-Type': 'application/gzip' } },
    '/2.xml': { body: map(`${origin}/two`, 'https://elsewhere.test/') },
    '/': page('Home'),
    '/one?a=1&b=2': page('One'),
    '/two': page('Two'),
  };
  expect(paths(await listed(await open()))).toEqual(['/', '/one?a=1&b=2', '/two']);
});

test('what is gone is told; what fails is listed and not missed', async () => {
  pages = { '/': page('Home', '/a', '/b', '/c'), '/a': page('A', '/below'), '/b': page('B'), '/below': page('Below') };
  pages['/c'] = page('C');
  const source = await open();
  const first = await listed(source);
  expect(first.ends.listing).toBe('complete');
  delete pages['/b'];
  const second = await listed(source, first.ends.cursor);
  expect([paths(second), second.removed, second.ends.listing]).toEqual([
    ...[['/', '/a', '/below', '/c'], [`${origin}/b`], 'complete'],
  ]);
  pages['/a'] = { status: 500 };
  pages['/c'] = { status: 410 };
  const third = await listed(source, second.ends.cursor);
  // Not complete: what the page led to may be more than it was.
  expect([paths(third), third.removed, third.ends.listing]).toEqual([
    ...[['/', '/a', '/below'], [`${origin}/b`, `${origin}/c`], 'changes'],
  ]);
  const failed = third.items.find(({ path }) => path === '/a') as Listed['items'][number];
  expect(failed.version).not.toBe(versions(first).get('/a'));
  await expect(contentOf(source, failed)).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
  pages['/a'] = { status: 404 };
  await expect(contentOf(source, failed)).rejects.toMatchObject({ code: 'item_unreadable' });
});

test.each([
  ['answers 404', () => ({ status: 404 })],
  ['answers 500', () => ({ status: 500 })],
  ['leads to another site', () => ({ status: 302, headers: { Location: 'http://login.test/' } })],
  ['leads to itself', () => ({ status: 302, headers: { Location: '/' } })],
])('the source is lost if the start page %s', async (_, answer) => {
  pages['/'] = answer();
  await expect(listed(await open())).rejects.toMatchObject({ code: 'source_lost' });
});

test('the source is lost if no server answers, or robots.txt forbids the start page', async () => {
  const startUrl = 'http://127.0.0.1:1/';
  await expect(listed(await open({ startUrl }))).rejects.toMatchObject({ code: 'source_lost' });
  pages = { '/': page('Home'), '/robots.txt': { body: 'User-agent: mneme\nDisallow: /' } };
  await expect(listed(await open())).rejects.toMatchObject({ code: 'source_lost' });
});

test('a short pause is kept and a long one ends the run', async () => {
  let times = 0;
  pages = {
    '/': page('Home', '/a'),
    '/a': () => {
      times += 1;
      return times === 1 ? { status: 429, headers: { 'Retry-After': '1' } } : page('A');
    },
  };
  expect(paths(await listed(await open()))).toEqual(['/', '/a']);
  pages['/a'] = { status: 503, headers: { 'Retry-After': '3600' } };
  await expect(listed(await open())).rejects.toMatchObject({ code: 'source_busy', retryAfter: 3_600_000 });
});

test('traps end: endless paths, endless queries, repeated parts, and the largest number of pages', async () => {
  const answer = ({ url }: { url: string }): Answer => {
    const { pathname, search } = new URL(url, origin);
    const number = Number(/\d+$/.exec(pathname)?.[0] ?? 0);
    if (pathname.startsWith('/deep')) return page(url, `/deep${number + 1}`);
    if (pathname === '/calendar') return page(url, `/calendar?day=${Number(search.slice(5)) + 1}`);
    return page(url, `${pathname}again/`);
  };
  pages = new Proxy({} as typeof pages, {
    get: (_, url: string) => {
      if (url === '/') return page('Home', '/deep1', '/calendar?day=1', '/again/');
      return url.endsWith('.txt') || url.endsWith('.xml') ? { status: 404 } : answer({ url });
    },
  });
  const all = paths(await listed(await open({ maxDepth: 50 })));
  expect(all.filter((path) => path.startsWith('/deep'))).toHaveLength(50);
  expect(all.filter((path) => path.startsWith('/again'))).toHaveLength(3);
  expect(all.filter((path) => path.startsWith('/calendar'))).toHaveLength(50);
  const few = await listed(await open({ maxPages: 5 }));
  expect([few.items.length, few.ends.listing]).toEqual([5, 'changes']);
});

test('a page that is too large is one that can’t be read', async () => {
  pages = { '/': page('Home', '/large'), '/large': { body: Buffer.alloc(PAGE_BYTES + 1, 'a') } };
  const source = await open();
  const large = (await listed(source)).items.find(({ path }) => path === '/large') as Listed['items'][number];
  await expect(contentOf(source, large)).rejects.toMatchObject({ code: 'item_unreadable' });
});

test('a crawl that is not wanted any more ends', async () => {
  pages = { '/': page('Home', '/a'), '/a': page('A') };
  const end = new AbortController();
  const source = await open();
  pages['/a'] = () => {
    end.abort(new Error('deleted'));
    return page('A', '/b');
  };
  await expect(listed(source, null, end.signal)).rejects.toThrow();
  expect(asked).not.toContain('/b');
});

test.each([
  [{ startUrl: 'site.test' }, 'startUrl'],
  [{ startUrl: 'https://user:pass@site.test/' }, 'startUrl'],
  [{ startUrl: 'https://site.test/', scope: 'all' }, 'scope'],
  [{ startUrl: 'https://site.test/', maxPages: 0 }, 'maxPages'],
  [{ startUrl: 'https://site.test/', maxDepth: 'deep' }, 'maxDepth'],
])('%j is refused', (metadata, field) => {
  const refusal = { field, message: expect.stringMatching(/^must /) };
  expect(webCrawler(toolsFor({})).readSetup(metadata, 'org')).toMatchObject({ ok: false, error: refusal });
});

describe('as a source', () => {
  sourceContract(async () => {
    const names = new Set<string>();
    const link = () => {
      const links = [...names].map((name) => `<a href="/${name}">x</a>`);
      pages['/'] = { body: `<meta name="robots" content="noindex">${links.join('')}` };
    };
    return {
      open: () => open(),
      put: async (name, text) => {
        names.add(name);
        link();
        pages[`/${name}`] = { body: `<title>The ${name} page</title><p>${text}</p>` };
      },
      remove: async (name) => {
        names.delete(name);
        link();
        delete pages[`/${name}`];
      },
      lose: async () => {
        delete pages['/'];
      },
      close: async () => {},
    };
  });
});
