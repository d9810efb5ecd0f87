import { readArticle } from './article.ts';
import { isWebPage, mediaTypeOf } from './web-text.ts';

const PARAGRAPH = 'The tide mill turns twice a day, when the basin is let out through the wheel, and rests between. ';
const html = (head: string, body: string) => `<html lang="de-CH"><head><title>A mill | Site</title>${head}</head><body>
<nav>Home Offers</nav><article>${body}</article><footer>Imprint</footer></body></html>`;

test('an article is left of a page, with what the page says about itself', async () => {
  const head = `<link rel="canonical" href="/mill"><meta name="author" content="Ada Weir">
    <meta property="article:published_time" content="2025-03-04T05:06:07Z">`;
  const found = await readArticle(
    html(head, `<h1>A mill</h1><p>${PARAGRAPH.repeat(5)}</p>`),
    'https://site.test/a?b=c',
  );
  expect(found).toMatchObject({
    ...{ language: 'de-CH', author: 'Ada Weir', canonicalUrl: 'https://site.test/mill' },
    date: '2025-03-04T05:06:07Z',
  });
  expect(found.title).toContain('A mill');
  expect(found.text).toContain('The tide mill turns twice a day');
  expect(found.text).not.toMatch(/Offers|Imprint/);
});

test('a page without an article is read whole', async () => {
  const { text } = await readArticle('<html><body><p>Closed on Monday.</p></body></html>', null);
  expect(text).toContain('Closed on Monday.');
});

test.each(['javascript:alert(1)', 'file:///etc/passwd', '', 'http://['])('%s is no canonical address', async (href) => {
  const page = html(`<link rel="canonical" href="${href}">`, `<p>${PARAGRAPH}</p>`);
  expect((await readArticle(page, null)).canonicalUrl).toBeNull();
});

test('scripts of a page do not run, and nothing is loaded', async () => {
  const scripts =
    '<script>globalThis.ran = true; document.title = "changed"</script><img src="x" onerror="globalThis.ran = true">';
  await readArticle(html(scripts, `<p>${PARAGRAPH.repeat(5)}</p>${scripts}`), null);
  expect(globalThis).not.toHaveProperty('ran');
});

const bytes = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['text/html; charset=ISO-8859-1', 'plain', true],
  ['application/octet-stream', '<!-- a --> <!DOCTYPE html><p>', true],
  [null, '\xef\xbb\xbf<html>', true],
  ['text/html', '%PDF-1.7', false],
  ['text/plain', 'a < b', false],
  ['application/json', '{}', false],
])('%s with %j is a page: %s', (contentType, start, expected) => {
  expect(isWebPage({ contentType, start: bytes(start) })).toBe(expected);
});

test('a row of comments is looked at once', () => {
  const comments = '<!---->'.repeat(500);
  expect(isWebPage({ contentType: null, start: bytes(`${comments}x`) })).toBe(false);
  expect(isWebPage({ contentType: null, start: bytes(`${comments}<html>`) })).toBe(true);
});

test('a media type has no parameters', () => {
  expect(mediaTypeOf(' Text/HTML ; charset=utf-8')).toBe('text/html');
  expect(mediaTypeOf(null)).toBeNull();
});
