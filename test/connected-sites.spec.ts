import { startGitHub } from './support/github.ts';
import { eventually, Mneme } from './support/mneme.ts';
import { code, paragraph, toDo } from './support/notion/blocks.ts';
import { startNotion } from './support/notion/notion.ts';
import { article, openSite, page } from './support/site.ts';

/** Connections to a site of the web, to GitHub and to Notion, over HTTP. */

interface Run {
  readonly status: string;
  readonly itemsProcessed: number;
  readonly itemsFailed: number;
  readonly itemsFound: number;
}

interface Listed {
  readonly memories: readonly {
    readonly id: string;
    readonly title: string;
    readonly filepath: string;
    readonly type: string;
  }[];
}

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start({ env: { MNEME_FETCH_LOOPBACK: 'on' } });
});
afterAll(() => mneme.stop());

/** Resolves when a check passes. */
const soon = (check: () => Promise<void>) =>
  eventually(() =>
    check().then(
      () => true,
      () => null,
    ),
  );

const connect = async (provider: string, tag: string, metadata: object): Promise<string> => {
  const created = await mneme.request<{ id: string }>('POST', `/v3/connections/${provider}`, {
    ...{ containerTag: tag, metadata },
  });
  expect(created).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  return created.body.id;
};

const runs = async (id: string) => (await mneme.request<readonly Run[]>('GET', `/v3/connections/${id}/sync-runs`)).body;

async function ended(id: string, count: number): Promise<Run> {
  await soon(async () => {
    expect((await runs(id)).filter(({ status }) => status !== 'running')).toHaveLength(count);
  });
  return (await runs(id))[0] as Run;
}

async function sync(provider: string, tag: string, id: string): Promise<Run> {
  const before = (await runs(id)).length;
  const asked = await mneme.request('POST', `/v3/connections/${provider}/import`, { containerTags: [tag] });
  expect(asked.status).toBe(202);
  return ended(id, before + 1);
}

const documents = async (tag: string) =>
  (await mneme.request<Listed>('POST', '/v3/documents/list', { containerTags: [tag], limit: 100 })).body.memories;

const paths = async (tag: string) => (await documents(tag)).map(({ filepath }) => filepath).sort();

async function found(tag: string, q: string): Promise<string> {
  const body = { q, containerTag: tag, searchMode: 'documents' };
  return JSON.stringify((await mneme.request('POST', '/v4/search', body)).body);
}

test('the pages of a site become documents, which follow them', async () => {
  const link = (to: string) => `<link rel="next" href="${to}"><a href="${to}">more</a>`;
  const site = await openSite({
    '/guide/': page(article('The crane of the harbour is made of oak.', link('/guide/tides'))),
    '/guide/tides': page(article('The tide is highest at noon.', link('/guide/notes.txt'))),
    '/guide/notes.txt': (_, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/plain', ETag: '"1"' })
        .end('The keeper of the keys is called Jonas.'),
  });
  try {
    const id = await connect('web-crawler', 'harbour', { startUrl: site.url('/guide/') });
    expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 3, itemsFailed: 0 });
    expect(await paths('harbour')).toEqual(['/guide/', '/guide/notes.txt', '/guide/tides']);
    await soon(async () => {
      expect(await found('harbour', 'crane')).toContain('oak');
      expect(await found('harbour', 'keeper')).toContain('Jonas');
    });
    const [tides] = (await documents('harbour')).filter(({ filepath }) => filepath.endsWith('tides'));
    expect(await mneme.request('GET', `/v3/documents/${tides?.id}`)).toMatchObject({
      body: { customId: `${id}:${site.url('/guide/tides')}`, metadata: { link: site.url('/guide/tides') } },
    });
    site.pages['/guide/tides'] = page(article('The tide is highest at midnight.'));
    expect(await sync('web-crawler', 'harbour', id)).toMatchObject({ status: 'completed' });
    await soon(async () => {
      expect(await found('harbour', 'tide')).toContain('midnight');
      // To the notes nothing leads any more.
      expect(await paths('harbour')).toEqual(['/guide/', '/guide/tides']);
    });
    delete site.pages['/guide/'];
    expect(await sync('web-crawler', 'harbour', id)).toMatchObject({ status: 'failed' });
    expect(await paths('harbour')).toEqual(['/guide/', '/guide/tides']);
  } finally {
    site.close();
  }
});

test('files and issues of a repository become documents, which follow them', async () => {
  const github = await startGitHub();
  try {
    const repository = github.addRepository('octo/kettle', {
      'README.md': '# Kettle\n\nThe kettle whistles in C sharp.',
      'src/boil.ts': 'export const boilingPoint = 373;',
    });
    const issue = github.addIssue(repository, 'The lid rattles', { comments: ['A drop of oil helps.'] });
    const metadata = { token: github.token, apiUrl: github.url, repositories: 'octo/kettle' };
    const id = await connect('github', 'kettle', metadata);
    expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 3, itemsFailed: 0 });
    expect(await paths('kettle')).toEqual([
      ...['/octo/kettle/README.md', '/octo/kettle/issues/1', '/octo/kettle/src/boil.ts'],
    ]);
    await soon(async () => expect(await found('kettle', 'oil')).toContain('drop of oil'));
    const shown = await mneme.request('GET', `/v3/connections/${id}`);
    expect(JSON.stringify(shown.body)).not.toContain(github.token);
    repository.files.set('README.md', '# Kettle\n\nThe kettle whistles in F.');
    repository.files.delete('src/boil.ts');
    issue.comments.push('A new lid, too.');
    await sync('github', 'kettle', id);
    await soon(async () => {
      expect(await found('kettle', 'kettle whistles')).toContain('whistles in F');
      expect(await found('kettle', 'lid')).toContain('new lid');
      expect(await paths('kettle')).toEqual(['/octo/kettle/README.md', '/octo/kettle/issues/1']);
    });
  } finally {
    await github.close();
  }
});

test('pages of Notion become documents, which follow them', async () => {
  const notion = await startNotion();
  try {
    const { workspace } = notion;
    const home = workspace.addPage({
      title: 'Garden',
      blocks: [paragraph('Peas are sown in March.'), toDo('Buy a rake')],
    });
    const tools = workspace.addPage({ title: 'Tools', parent: home, blocks: [code('rake --wide')] });
    const id = await connect('notion', 'garden', { token: notion.token, apiUrl: notion.url });
    expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 2, itemsFailed: 0 });
    expect(await paths('garden')).toEqual(['/Garden', '/Garden/Tools']);
    await soon(async () => {
      expect(await found('garden', 'peas')).toContain('March');
      expect((await documents('garden')).map(({ type }) => type)).toEqual(['notion_doc', 'notion_doc']);
    });
    workspace.changePage(home, { blocks: [paragraph('Peas are sown in April.')] });
    workspace.trashPage(tools);
    await sync('notion', 'garden', id);
    await soon(async () => {
      expect(await found('garden', 'peas')).toContain('April');
      expect(await paths('garden')).toEqual(['/Garden']);
    });
    notion.revoke();
    expect(await sync('notion', 'garden', id)).toMatchObject({ status: 'failed' });
    expect(await mneme.request('GET', `/v3/connections/${id}`)).toMatchObject({ body: { status: 'lost' } });
    expect(await paths('garden')).toEqual(['/Garden']);
  } finally {
    await notion.close();
  }
});

test.each([
  ['web-crawler', {}, 'metadata.startUrl must be the address of a page, which begins with https:// or http://'],
  [
    'web-crawler',
    { startUrl: 'https://a.test', maxPages: 0 },
    'metadata.maxPages must be a whole number from 1 to 10000',
  ],
  ['github', { token: 't', repositories: 'a/b', files: 'no' }, 'metadata.files must be true or false'],
  ['notion', {}, 'metadata.token must be the token of an integration of Notion'],
  ['s3', {}, 'metadata.accessKeyId must be the id of a key'],
])('%s refuses %j with a sentence', async (provider, metadata, error) => {
  const refused = await mneme.request('POST', `/v3/connections/${provider}`, { metadata });
  expect(refused).toMatchObject({ status: 400, body: { error, details: error.split(' ')[0] } });
});
