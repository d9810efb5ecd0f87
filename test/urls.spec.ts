import { gzipSync } from 'node:zlib';
import { lines, pdfOf } from '../libs/processing/extraction/src/testing/pdf.ts';
import { pageOf } from '../libs/processing/extraction/src/testing/pictures.ts';
import { eventually, Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';
import { openStandIns } from './support/stand-ins.ts';

/** Content that is a URL, over HTTP. The sites are loopback servers of the test, behind a proxy of its own. */

let mneme: Mneme;
let site: Awaited<ReturnType<typeof openSite>>;
let web: Awaited<ReturnType<typeof openStandIns>>;
beforeAll(async () => {
  site = await openSite({});
  web = await openStandIns(['docs.google.com', 'accounts.google.com', 'www.youtube.com']);
  mneme = await Mneme.start({ env: web.settings });
});
afterAll(async () => {
  await mneme.stop();
  site.close();
  await web.close();
});

const found = async (q: string) =>
  (await mneme.post<{ results: { documentId: string; chunks: { content: string }[] }[] }>('/v3/search', { q })).body
    .results;

interface Memory {
  readonly memory: string;
  readonly location?: { readonly startSeconds: number };
}

const best = async (q: string): Promise<Memory> =>
  (await mneme.post<{ results: [Memory] }>('/v4/search', { q })).body.results[0];

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

test('a URL that is tried again says why and when, also after a restart', async () => {
  site.pages['/busy'] = (_request, response) => response.writeHead(503).end();
  const id = await mneme.add(site.url('/busy'));
  const waiting = () =>
    eventually(async () => {
      const { body } = await mneme.get<{ status: string; retry?: { at: string } }>(`/v3/documents/${id}`);
      return body.retry === undefined ? null : body;
    });
  const before = await waiting();
  const message = 'The address answered with status 503.';
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(before).toMatchObject({ status: 'processing', processingError: null });
  expect(before.retry).toEqual({ code: 'fetch_failed', message, at });
  mneme = await mneme.restart();
  expect((await waiting()).retry).toEqual({ code: 'fetch_failed', message, at });
  delete site.pages['/busy'];
  await mneme.request('DELETE', `/v3/documents/${id}`);
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
  const head = '<meta property="og:title" content="The lamp"><meta name="author" content="Ada Weir">';
  site.pages['/lamp'] = page(article('The lamp burns whale oil.', head));
  const about = { title: 'The lamp', author: 'Ada Weir', url: site.url('/lamp'), type: 'webpage' };
  const id = await mneme.addAndWait(site.url('/lamp'), { customId: 'lamp' });
  for (const sentence of ['Since 1890 it burns gas.', 'Nobody lights it today.']) {
    await mneme.add(sentence, { customId: 'lamp' });
    expect(await mneme.settled(id)).toMatchObject({
      ...about,
      content: expect.stringMatching(`whale oil[^]*${sentence}$`),
    });
  }
});

/** @returns the answer to a file for the document with a customId */
function upload(customId: string, text: string) {
  const form = new FormData();
  form.append('file', new Blob([text]), 'quay.txt');
  form.append('customId', customId);
  return mneme.request('POST', '/v3/documents/file', form);
}

test.each(['note', 'page'])(
  'a file does not replace a %s, and another URL is a text behind it, not fetched',
  async (kind) => {
    site.pages['/quay'] = page(article('The quay is closed on Mondays.'));
    site.pages['/pier'] = page(article('The pier is open.'));
    const [customId, note, pier] = [`quay ${kind}`, 'The quay is closed on Mondays.', site.url('/pier')];
    const id = await mneme.addAndWait(kind === 'page' ? site.url('/quay') : note, { customId });
    const before = (await mneme.get(`/v3/documents/${id}`)).body;
    const refused = await upload(customId, 'The quay is always open.');
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', details: 'customId' } });
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect((await mneme.get(`/v3/documents/${id}`)).body).toEqual(before);
    await mneme.add(pier, { customId });
    const { content, url, type } = before;
    expect(await mneme.settled(id)).toMatchObject({ status: 'done', content: `${content}\n${pier}`, url, type });
    expect(content).toContain('closed on Mondays');
    expect(site.asked).not.toContain('/pier');
  },
);

test('the same URL in another form is another version of its page', async () => {
  site.pages['/lock'] = page(article('The lock opens at six.'));
  const id = await mneme.addAndWait(site.url('/lock'), { customId: 'lock' });
  site.pages['/lock'] = page(article('The lock opens at eight.'));
  expect(await mneme.add(` ${site.url('/lock').replace('http', 'HTTP')}#top\n`, { customId: 'lock' })).toBe(id);
  const { content } = await mneme.settled(id);
  expect(content).toContain('at eight');
  expect(content).not.toContain('at six');
});

test('a URL longer than 5,000 characters is not fetched, and says so', async () => {
  const { processingError } = await mneme.settled(await mneme.add(site.url(`/${'a'.repeat(5_000)}`)));
  expect(processingError).toMatchObject({ code: 'fetch_refused', message: expect.stringContaining('5000 characters') });
});

test('a link to a sheet of Google is read by its CSV export, row by row', async () => {
  const path = '/spreadsheets/d/1HarbourBerths';
  const rows = Array.from({ length: 40 }, (_, i) => `Vessel ${i},${100 + i},${i === 23 ? 'painted green' : 'grey'}`);
  web.answers[`docs.google.com${path}/export?format=csv&gid=7`] = page(`Name,Berth,Colour\n${rows.join('\n')}\n`, {
    'Content-Type': 'text/csv',
    'Content-Disposition': `attachment; filename="Harbour-Berths.csv"; filename*=UTF-8''Harbour%20-%20Berths.csv`,
  });
  const url = `https://docs.google.com${path}/edit?usp=sharing#gid=7`;
  const id = await mneme.add(url);
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'done', type: 'google_sheet', title: 'Harbour - Berths', url },
    content: expect.stringContaining('- Name: Vessel 23; Berth: 123; Colour: painted green'),
  });
  const row = { memory: '- Name: Vessel 23; Berth: 123; Colour: painted green', location: { row: 25 } };
  expect(await best('Which vessel is painted green?')).toMatchObject(row);
});

test('a short link to a video or a sheet is read as that', async () => {
  const path = '/spreadsheets/d/1ShortLink';
  web.answers[`docs.google.com${path}/edit`] = page('<!doctype html><title>Loading</title>');
  web.answers[`docs.google.com${path}/export?format=csv`] = page('Bird,Egg\nHeron,blue\n', {
    'Content-Type': 'text/csv',
  });
  site.pages['/short'] = (_request, response) =>
    response.writeHead(301, { Location: `https://docs.google.com${path}/edit` }).end();
  expect(await mneme.settled(await mneme.add(site.url('/short')))).toMatchObject({
    ...{ status: 'done', type: 'google_sheet', content: '- Bird: Heron; Egg: blue', url: site.url('/short') },
  });
});

test('a sheet that is not shared ends with the request to share it', async () => {
  const path = '/spreadsheets/d/1PrivateSheet';
  web.answers[`docs.google.com${path}/export?format=csv`] = (_request, response) =>
    response.writeHead(307, { Location: 'https://accounts.google.com/ServiceLogin?continue=x' }).end();
  web.answers['accounts.google.com/ServiceLogin?continue=x'] = page('<!doctype html><title>Sign in</title>');
  for (const url of [
    `https://docs.google.com${path}/edit`,
    'https://docs.google.com/spreadsheets/d/1NoSuchSheet/edit',
  ]) {
    expect(await mneme.settled(await mneme.add(url))).toMatchObject({
      ...{ status: 'failed', type: 'google_sheet' },
      processingError: { code: 'fetch_failed', message: expect.stringContaining('share it with anyone') },
    });
  }
});

test('a video of YouTube is read by its captions, and a question finds the second', async () => {
  const track = { baseUrl: '/api/timedtext?v=dQw4w9WgXcQ&lang=en', languageCode: 'en' };
  const player = {
    playabilityStatus: { status: 'OK' },
    videoDetails: { videoId: 'dQw4w9WgXcQ', title: 'A tour of the lighthouse', author: 'Harbour TV' },
    microformat: { playerMicroformatRenderer: { publishDate: '2024-05-06' } },
    captions: { playerCaptionsTracklistRenderer: { captionTracks: [track] } },
  };
  web.answers['www.youtube.com/watch?v=dQw4w9WgXcQ'] = page(
    `<html><script>var ytInitialPlayerResponse = ${JSON.stringify(player)};</script></html>`,
  );
  const sentences = Array.from({ length: 60 }, (_, i) =>
    i === 47 ? 'The lens was ground in Bergamo.' : `Step number ${i} of the stair is worn and narrow.`,
  );
  const events = sentences.map((utf8, i) => ({ tStartMs: i * 4_000, dDurationMs: 3_900, segs: [{ utf8 }] }));
  web.answers['www.youtube.com/api/timedtext?v=dQw4w9WgXcQ&lang=en&fmt=json3'] = page(JSON.stringify({ events }), {
    'Content-Type': 'application/json; charset=UTF-8',
  });
  const id = await mneme.add('https://youtu.be/dQw4w9WgXcQ?t=5', { metadata: { from: 'me' } });
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'done', type: 'video', title: 'A tour of the lighthouse', author: 'Harbour TV', language: 'en' },
    ...{ canonicalUrl: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ', metadata: { from: 'me' } },
    url: 'https://youtu.be/dQw4w9WgXcQ?t=5',
  });
  const { memory, location } = await best('Where was the lens ground?');
  expect(memory).toContain('ground in Bergamo');
  expect(location?.startSeconds).toBeGreaterThan(47 * 4 - 30);
  expect(location?.startSeconds).toBeLessThanOrEqual(47 * 4);
});

test('a video without captions, and one behind a sign-in, end with a reason', async () => {
  const pageOf = (player: object) =>
    page(`<html><script>var ytInitialPlayerResponse = ${JSON.stringify(player)};</script>`);
  web.answers['www.youtube.com/watch?v=nocaptions1'] = pageOf({ playabilityStatus: { status: 'OK' } });
  web.answers['www.youtube.com/watch?v=signin00001'] = pageOf({ playabilityStatus: { status: 'LOGIN_REQUIRED' } });
  const errorOf = async (video: string) =>
    (await mneme.settled(await mneme.add(`https://www.youtube.com/shorts/${video}`))).processingError;
  const failed = (words: string) => ({ code: 'fetch_failed', message: expect.stringContaining(words) });
  expect(await errorOf('nocaptions1')).toMatchObject(failed('no captions'));
  expect(await errorOf('signin00001')).toMatchObject(failed('signed in'));
  expect(await errorOf('missing0001')).toMatchObject(failed('404'));
});

test('a PDF behind a URL has its pages, and its name as title', async () => {
  const pages = ['The weir was mended in spring.', 'The eel ladder opens at dusk.'];
  site.pages['/download'] = page(pdfOf(pages.map((text) => lines([text]))), {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': 'attachment; filename="River works.pdf"',
  });
  const id = await mneme.add(site.url('/download'), { customId: 'river' });
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', type: 'pdf', title: 'River works.pdf' });
  const memory = expect.stringContaining('eel ladder');
  expect(await best('When does the eel ladder open?')).toMatchObject({ memory, location: { page: 2 } });
  await mneme.add('The eel ladder closes at dawn.', { customId: 'river' });
  expect(await mneme.settled(id)).toMatchObject({ title: 'River works.pdf', type: 'pdf' });
  expect(await best('When does the eel ladder open?')).toMatchObject({ memory, location: { page: 2 } });
});

test('a picture behind a URL is read, whatever the path says', async () => {
  const sign = pageOf(['The lock keeper sells tickets on Fridays.'], { width: 900, height: 300, left: 30, top: 90 });
  site.pages['/sign.html'] = page(await sign.webp().toBuffer(), { 'Content-Type': 'image/webp' });
  const id = await mneme.add(site.url('/sign.html'));
  expect(await mneme.settled(id, 110_000)).toMatchObject({ status: 'done', type: 'image' });
  expect((await best('When does the lock keeper sell tickets?')).memory).toContain('on Fridays');
});
