import { gzipSync } from 'node:zlib';
import { eventually, Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';

/** Content that is a URL, over HTTP. The site is a loopback server of the test. */

let mneme: Mneme;
let site: Awaited<ReturnType<typeof openSite>>;
beforeAll(async () => {
  site = await openSite({});
  mneme = await Mneme.start({ env: { MNEME_FETCH_LOOPBACK: 'on' } });
});
afterAll(async () => {
  await mneme.stop();
  site.close();
});

const found = async (q: string) =>
  (await mneme.post<{ results: { documentId: string; chunks: { content: string }[] }[] }>('/v3/search', { q })).body
    .results;

test('a page is fetched through a redirect, reduced to its article, and found', async () => {
  site.pages['/old'] = (_request, response) => response.writeHead(301, { Location: '/crane.pdf' }).end();
  const head = `<meta property="og:title" content="The crane of the harbour"><meta name="author" content="Ada Weir">
    <link rel="canonical" href="/canonical">`;
  site.pages['/crane.pdf'] = page(gzipSync(article('The crane at the Zollhaus dates from 1712.', head)), {
    'Content-Encoding': 'gzip',
  });
  const sent = `  ${site.url('/old')}\n`;
  const id = await mneme.add(sent, { metadata: { url: 'mine' } });
  const record = await mneme.settled(id);
  expect(record).toMatchObject({
    ...{ status: 'done', type: 'webpage', url: site.url('/old'), title: 'The crane of the harbour' },
    ...{ content: expect.stringContaining('dates from 1712'), metadata: { url: 'mine' } },
    ...{ author: 'Ada Weir', canonicalUrl: site.url('/canonical'), language: 'en' },
  });
  expect(record.content).not.toMatch(/Basket of offers|Imprint/);
  const [first] = await found('When was the crane at the Zollhaus built?');
  expect(first).toMatchObject({ documentId: id, chunks: [{ content: expect.stringContaining('1712') }] });
});

test.each([
  ['of the header', 'text/html; charset=windows-1251', ''],
  ['of the page', 'text/html', '<meta charset="windows-1251">'],
])('the charset %s decides how a page is read', async (_, contentType, head) => {
  const words = Buffer.from('кран', 'utf16le');
  const cyrillic = Buffer.from([...new Uint16Array(words.buffer, words.byteOffset, 4)].map((code) => code - 0x350));
  const [before = '', after = ''] = article('The word is CRANE here.', head).split('CRANE');
  site.pages['/charset'] = page(Buffer.concat([Buffer.from(before), cyrillic, Buffer.from(after)]), {
    'Content-Type': contentType,
  });
  expect((await mneme.settled(await mneme.add(site.url('/charset')))).content).toContain('The word is кран here.');
});

test('a text and a table are read as such, whatever the path says', async () => {
  const type = { 'Content-Type': 'text/csv' };
  site.pages['/list.html'] = page('name,berth\nHeron,7\nCurlew,12\n', type);
  const record = await mneme.settled(await mneme.add(site.url('/list.html')));
  expect(record).toMatchObject({ status: 'done', type: 'text', content: expect.stringContaining('Curlew') });
});

test('robots.txt, a missing page and a private address end the document at once with a reason', async () => {
  site.pages['/robots.txt'] = (_request, response) => response.end('User-agent: *\nDisallow: /private\n');
  site.pages['/private'] = page(article('Nobody may read this.'));
  // Rules of a site are kept for a while, so this is another site.
  const other = await openSite(site.pages);
  const errorOf = async (url: string) => (await mneme.settled(await mneme.add(url))).processingError;
  expect(await errorOf(other.url('/private'))).toMatchObject({
    code: 'fetch_refused',
    message: expect.stringContaining('robots.txt'),
  });
  expect(other.asked).toEqual([]);
  expect(await errorOf(other.url('/nowhere'))).toMatchObject({
    code: 'fetch_failed',
    message: expect.stringContaining('404'),
  });
  expect(await errorOf('http://169.254.169.254/latest/meta-data/')).toMatchObject({ code: 'fetch_refused' });
  site.pages['/to-metadata'] = (_request, response) =>
    response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
  expect(await errorOf(other.url('/to-metadata'))).toMatchObject({ code: 'fetch_refused' });
  delete site.pages['/robots.txt'];
  other.close();
});

test('the same URL with its customId is asked for changes, and without one it is another document', async () => {
  let text = article('The ferry leaves at nine.');
  const statuses: number[] = [];
  site.pages['/ferry'] = (request, response) => {
    const status = request.headers['if-none-match'] === `"${text.length}"` ? 304 : 200;
    statuses.push(status);
    response
      .writeHead(status, { 'Content-Type': 'text/html', ETag: `"${text.length}"` })
      .end(status === 200 ? text : '');
  };
  const url = site.url('/ferry');
  const typesOf = async (id: string) =>
    (await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`)).body.events.map(({ type }) => type);
  const again = async () => {
    const { body } = await mneme.post<{ id: string; status: string }>('/v3/documents', {
      content: url,
      customId: 'ferry',
    });
    await eventually(async () => ((await mneme.get(`/v3/documents/${body.id}`)).body.status === 'done' ? true : null));
    return body;
  };
  const { id } = await again();
  const before = (await typesOf(id)).length;
  expect(await again()).toEqual({ id, status: 'queued' });
  expect((await typesOf(id)).slice(before)).toEqual(['ContentReplaced', 'StageStarted', 'PageUnchanged']);
  expect((await mneme.get(`/v3/documents/${id}`)).body).toMatchObject({ content: expect.stringContaining('at nine') });
  expect((await found('When does the ferry leave?'))[0]).toMatchObject({ documentId: id });
  // The markup has changed and the text has not.
  text = text.replace('<main>', '<main class="wide">');
  await again();
  expect((await typesOf(id)).at(-1)).toBe('PageUnchanged');
  text = text.replace('at nine', 'at ten');
  await again();
  expect((await mneme.get(`/v3/documents/${id}`)).body).toMatchObject({ content: expect.stringContaining('at ten') });
  expect(statuses).toEqual([200, 304, 200, 200]);
  const another = await mneme.addAndWait(url);
  expect(another).not.toBe(id);
});

test('a text for the customId of a page is put behind what was read, and the page stays', async () => {
  site.pages['/lamp'] = page(article('The lamp burns whale oil.'));
  const id = await mneme.addAndWait(site.url('/lamp'), { customId: 'lamp' });
  await mneme.add('Since 1890 it burns gas.', { customId: 'lamp' });
  const { content } = await mneme.settled(id);
  expect(content).toMatch(/whale oil[\s\S]*\nSince 1890 it burns gas\.$/);
});
