import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';

/** What a page hides, over HTTP, whatever way the page comes. */

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

/** A document with everything that is derived from it. It is alone in its tag. */
async function derivedFrom(id: string, containerTag: string) {
  const { content, ...record } = (await mneme.settled(id)) as unknown as {
    readonly content: string;
    readonly status: string;
  };
  const { body: chunks } = await mneme.get(`/v3/documents/${id}/chunks`);
  const { body: memories } = await mneme.post('/v4/memories/list', { containerTags: [containerTag] });
  return { content, status: record.status, derived: JSON.stringify([record, chunks, memories]) };
}

async function upload(name: string, containerTag: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([await readFile(join(import.meta.dirname, 'fixtures/web', name))]), name);
  form.append('containerTag', containerTag);
  return (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
}

test.each([
  ['html-hidden.html', ['The ferry leaves at seven.', 'ARIAHIDDEN']],
  ['mjml-newsletter.html', ['The crane on pier four is closed until the 19th of April.', 'Read on']],
  ['juice-notice.html', ['The ferry leaves at seven.', 'Bicycles are free.']],
  ['pandoc-page.html', ['The lighthouse stands on the south coast.', 'The keeper writes a journal.', '410']],
])('%s', async (name, sentences) => {
  const tag = name.replace('.', '-');
  const { status, content, derived } = await derivedFrom(await upload(name, tag), tag);
  expect(status).toBe('done');
  for (const sentence of sentences) {
    expect(content).toContain(sentence);
    expect(derived).toContain(sentence);
  }
  expect(content + derived).not.toMatch(/(?<!ARIA)HIDDEN/);
});

const HIDING =
  '<style>.x{display:none}</style><h1 class="x">SECRET</h1><p class="x">SECRET</p><div hidden>SECRET</div>';

test('a string is returned as it was sent, and nothing is derived from what it hides', async () => {
  const sent = `<html><body>${HIDING}<p>The ferry leaves at seven.</p></body></html>`;
  const id = await mneme.add(sent, { containerTag: 'string' });
  const { status, content, derived } = await derivedFrom(id, 'string');
  expect({ status, content }).toEqual({ status: 'done', content: sent });
  expect(derived).toContain('The ferry leaves at seven.');
  expect(derived).not.toContain('SECRET');
});

test('a page of a site, with an article and without', async () => {
  site.pages['/article'] = page(
    article(`The ferry leaves at seven.<span hidden>SECRET</span>`).replace('<article>', `<article>${HIDING}`),
  );
  site.pages['/short'] = page(`<title>Notice</title>${HIDING}<p>The ferry leaves at seven.</p>`);
  for (const tag of ['article', 'short']) {
    const id = await mneme.add(site.url(`/${tag}`), { containerTag: tag });
    const { status, content, derived } = await derivedFrom(id, tag);
    expect(status).toBe('done');
    expect(content).toContain('The ferry leaves at seven.');
    expect(content + derived).not.toContain('SECRET');
  }
});
