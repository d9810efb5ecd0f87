import { cursorOf, type KnownPage, readKnown } from './known-pages.ts';

function site(count: number): KnownPage[] {
  const addressOf = (at: number) => `https://site.test/section-${at % 40}/article-${at}`;
  return Array.from({ length: count }, (_, at) => ({
    ...{ address: addressOf(at), version: Buffer.from(crypto.randomUUID()).toString('base64url').slice(0, 22) },
    ...{ etag: `"${at}-5f2"`, lastModified: null, title: `Article ${at}`, contentType: 'text/html', size: 1000 + at },
    links: Array.from({ length: 50 }, (_, link) => addressOf((at + link) % count)),
  }));
}

test('a cursor keeps the pages of a site', () => {
  const pages = site(1_000);
  expect([...readKnown(cursorOf(pages)).values()]).toEqual(pages);
});

test('of a large site it keeps those that were found first, so that an event can hold it', () => {
  const pages = site(10_000);
  const cursor = cursorOf(pages);
  expect(JSON.stringify(cursor).length).toBeLessThan(201_000);
  const known = [...readKnown(cursor).values()];
  expect(known.length).toBeGreaterThan(1_000);
  expect(known).toEqual(pages.slice(0, known.length));
});

test.each([null, {}, { format: 0, pages: 'x' }, 7])('of the cursor %j nothing is known', (cursor) => {
  expect(readKnown(cursor).size).toBe(0);
});
