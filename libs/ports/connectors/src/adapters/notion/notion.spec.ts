import {
  bookmark,
  callout,
  code,
  columns,
  divider,
  equation,
  externalImage,
  fileBlock,
  paragraph,
  richText,
  synced,
  table,
  textBlock,
  toDo,
  unsupported,
} from '../../../../../../test/support/notion/blocks.ts';
import { type NotionOptions, startNotion } from '../../../../../../test/support/notion/notion.ts';
import type { Source } from '../../connector.ts';
import { sourceContract } from '../../source.contract.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { contentOf, type Listed, listed, opened } from '../../testing/opened.ts';
import { notion } from './notion.ts';

let server: Awaited<ReturnType<typeof startNotion>>;
afterEach(() => server.close());

const start = async (options: NotionOptions = {}) => {
  server = await startNotion(options);
  return server.workspace;
};

const open = () => opened(notion(toolsFor({})), { token: server.token, apiUrl: server.url });

const item = ({ items }: Listed, title: string) => {
  const found = items.find((one) => one.title === title);
  if (found === undefined) throw new Error(`no ${title} in ${items.map((one) => one.title).join(', ')}`);
  return found;
};

const textOf = async (source: Source, title: string) => contentOf(source, item(await listed(source), title));
const paths = ({ items }: Listed) => items.map(({ path }) => path).sort();

test('pages and databases are items with their places, in pages of the search', async () => {
  const workspace = await start({ largestPage: 2 });
  const home = workspace.addPage({ title: 'Home' });
  workspace.addPage({ title: 'Plans/Ideas', parent: home });
  const { dataSources } = workspace.addDatabase({ title: 'Tasks', parent: home });
  workspace.addRow(dataSources[0] ?? '', { title: 'Water the plants' });
  const all = await listed(await open());
  expect(paths(all)).toEqual(['/Home', '/Home/Plans-Ideas', '/Home/Tasks', '/Home/Tasks/Water the plants']);
  expect(item(all, 'Home')).toMatchObject({
    ...{ id: `page/${home}`, version: new Date(workspace.pages.get(home)?.edited ?? 0).toISOString() },
    link: expect.stringContaining('https://www.notion.so/Home-'),
  });
  expect(server.asked.filter(({ path }) => path === '/v1/search')).toHaveLength(2);
});

test('blocks become Markdown', async () => {
  const workspace = await start();
  const image = workspace.addFile('plan of the garden.png', Buffer.from('x'), 'image/png');
  const looks = [
    { text: 'bold', looks: ['bold'] as const },
    ' and ',
    { text: 'a link', href: 'https://a.example/(1)' },
    ' and ',
    { text: 'x^2', kind: 'equation' as const },
    ' and ',
    { text: 'code', looks: ['code', 'bold'] as const },
  ];
  const home = workspace.addPage({
    title: 'Garden',
    blocks: [
      textBlock('heading_1', 'Spring'),
      paragraph(looks),
      textBlock('bulleted_list_item', 'Peas', [textBlock('bulleted_list_item', 'early'), paragraph('in rows')]),
      textBlock('bulleted_list_item', 'Beans'),
      textBlock('numbered_list_item', 'Dig'),
      textBlock('numbered_list_item', 'Sow'),
      toDo('Buy seeds', true),
      toDo('Water', false, [toDo('daily')]),
      textBlock('quote', 'Who sows\nreaps'),
      callout('Mind the frost', '🥶', [paragraph('until May')]),
      code('const a = `b`;\n```', 'typescript'),
      equation('e = mc^2'),
      divider,
      table(['Plant', 'When'], ['Peas | sweet', 'March']),
      columns([paragraph('left')], [paragraph('right')]),
      textBlock('toggle', 'More', [paragraph('inside')]),
      bookmark('https://b.example/', 'A book'),
      fileBlock('image', image, 'The plan'),
      externalImage('https://c.example/c.png'),
      unsupported,
    ],
  });
  workspace.addPage({ title: 'Tools', parent: home, blocks: [paragraph('not here')] });
  const source = await open();
  expect(await textOf(source, 'Garden')).toBe(
    [
      '# Garden',
      '## Spring',
      '**bold** and [a link](https://a.example/(1%29) and $x^2$ and **`code`**',
      '- Peas\n  - early\n\n  in rows\n- Beans',
      '1. Dig\n2. Sow',
      '- [x] Buy seeds\n- [ ] Water\n  - [ ] daily',
      '> Who sows\n> reaps',
      '> 🥶 Mind the frost\n> \n> until May',
      '````typescript\nconst a = `b`;\n```\n````',
      '$$\ne = mc^2\n$$',
      '---',
      '| Plant | When |\n| --- | --- |\n| Peas \\| sweet | March |',
      'left\n\nright',
      'More\n\ninside',
      '[A book](https://b.example/)',
      'plan of the garden.png: The plan',
      '[https://c.example/c.png](https://c.example/c.png)',
      'Tools',
      '',
    ]
      .join('\n\n')
      .replace(/\n\n$/, '\n'),
  );
  expect(await textOf(source, 'Garden')).not.toContain('X-Amz');
});

test('a copy of a synced block shows what the original does', async () => {
  const workspace = await start();
  const first = workspace.addPage({ title: 'One', blocks: [synced(null, [paragraph('shared words')])] });
  const original = workspace.pages.get(first)?.blocks[0]?.id ?? '';
  workspace.addPage({ title: 'Two', blocks: [{ ...synced(original), children: [paragraph('placeholder')] }] });
  expect(await textOf(await open(), 'Two')).toContain('shared words');
});

test('a database has its properties, and a row has their values', async () => {
  const workspace = await start();
  const { dataSources } = workspace.addDatabase({
    title: 'Books',
    properties: { Name: 'title', Pages: 'number', State: 'select', Read: 'checkbox', Notes: 'rich_text', By: 'people' },
  });
  const [books = ''] = dataSources;
  const related = Array.from({ length: 40 }, (_, at) => workspace.addRow(books, { title: `Volume ${at}` }));
  workspace.addRow(books, {
    title: 'Emma',
    properties: {
      Pages: { type: 'number', number: 474 },
      State: { type: 'select', select: { name: 'done' } },
      Read: { type: 'checkbox', checkbox: true },
      Notes: { type: 'rich_text', rich_text: richText('A ', { text: 'good', looks: ['bold'] }, ' one') },
      By: { type: 'people', people: [{ object: 'user', id: 'u', name: 'Ada Lovelace' }] },
      When: { type: 'date', date: { start: '2026-01-01', end: '2026-01-03' } },
      Sum: { type: 'formula', formula: { type: 'number', number: 7 } },
      Series: { type: 'relation', relation: related.map((id) => ({ id })) },
      Empty: { type: 'url', url: null },
    },
    blocks: [paragraph('Text of the row')],
  });
  const source = await open();
  expect(await textOf(source, 'Books')).toBe('# Books\n\n- Name\n- Pages\n- State\n- Read\n- Notes\n- By\n');
  const row = await textOf(source, 'Emma');
  for (const line of ['Pages: 474', 'State: done', 'Read: yes', 'Notes: A **good** one', 'By: Ada Lovelace']) {
    expect(row).toContain(line);
  }
  for (const line of ['When: 2026-01-01 to 2026-01-03', 'Sum: 7', 'Volume 39', 'Text of the row']) {
    expect(row).toContain(line);
  }
  expect(row).not.toContain('Empty');
});

test('only what was changed has another version', async () => {
  const workspace = await start();
  const [one] = [workspace.addPage({ title: 'One' }), workspace.addPage({ title: 'Two' })];
  const source = await open();
  const first = await listed(source);
  workspace.changePage(one, { blocks: [paragraph('new')] });
  const second = await listed(source, first.ends.cursor);
  expect(item(second, 'One').version).not.toBe(item(first, 'One').version);
  expect(item(second, 'Two').version).toBe(item(first, 'Two').version);
});

test('a second change within the same minute is seen, because an open minute is no version', async () => {
  const workspace = await start({ now: Date.now() - 60_000 });
  const page = workspace.addPage({ title: 'One', blocks: [paragraph('first')] });
  const source = await open();
  const first = await listed(source);
  workspace.changePage(page, { blocks: [paragraph('second')] }, true);
  const second = await listed(source, first.ends.cursor);
  expect(item(second, 'One').updatedAt).toBe(item(first, 'One').updatedAt);
  expect(item(second, 'One').version).not.toBe(item(first, 'One').version);
  expect(await contentOf(source, item(second, 'One'))).toContain('second');
});

test('what is in the trash or no longer shared is gone; what the search does not find is asked for', async () => {
  const workspace = await start();
  const [trashed, removed, hidden] = ['Trashed', 'Removed', 'Hidden'].map((title) => workspace.addPage({ title })) as [
    string,
    string,
    string,
  ];
  workspace.addPage({ title: 'Stays' });
  const source = await open();
  const first = await listed(source);
  expect(first.ends.listing).toBe('complete');
  workspace.trashPage(trashed);
  workspace.removePage(removed);
  workspace.hidden.add(hidden);
  const second = await listed(source, first.ends.cursor);
  expect(paths(second)).toEqual(['/Hidden', '/Stays']);
  expect([second.removed.toSorted(), second.ends.listing]).toEqual([
    ...[[`page/${trashed}`, `page/${removed}`].toSorted(), 'changes'],
  ]);
  workspace.trashPage(trashed, false);
  expect(paths(await listed(source, second.ends.cursor))).toEqual(['/Hidden', '/Stays', '/Trashed']);
});

test('a page that goes away before it is read is one that can’t be', async () => {
  const workspace = await start();
  const page = workspace.addPage({ title: 'One' });
  const source = await open();
  const all = await listed(source);
  workspace.removePage(page);
  await expect(contentOf(source, item(all, 'One'))).rejects.toMatchObject({ code: 'item_unreadable' });
});

test.each([
  ['rate_limited', 3_600, { code: 'source_busy', retryAfter: 3_600_000 }],
  ['restricted_resource', undefined, { code: 'source_lost' }],
  ['internal_server_error', undefined, { code: 'fetch_failed', isTemporary: true }],
  ['bad_gateway', undefined, { code: 'fetch_failed', isTemporary: true }],
  ['service_unavailable', undefined, { code: 'fetch_failed', isTemporary: true }],
  ['cut', undefined, { code: 'fetch_failed', isTemporary: true }],
] as const)('%s', async (kind, retryAfter, error) => {
  const workspace = await start();
  workspace.addPage({ title: 'One' });
  server.faults.add({ kind, ...(retryAfter !== undefined && { retryAfter }) });
  await expect(listed(await open())).rejects.toMatchObject(error);
});

test('a short pause is kept, and the listing goes on', async () => {
  const workspace = await start({ largestPage: 1 });
  for (const title of ['One', 'Two', 'Three']) workspace.addPage({ title });
  server.faults.add({ kind: 'rate_limited', after: 1, retryAfter: 1 });
  expect(paths(await listed(await open()))).toEqual(['/One', '/Three', '/Two']);
});

test('the source is lost when its token is no longer valid', async () => {
  const workspace = await start();
  workspace.addPage({ title: 'One' });
  const source = await open();
  const all = await listed(source);
  server.revoke();
  await expect(listed(source, all.ends.cursor)).rejects.toMatchObject({ code: 'source_lost' });
  await expect(contentOf(source, item(all, 'One'))).rejects.toMatchObject({ code: 'source_lost' });
});

test('a listing that is not wanted any more ends', async () => {
  await start();
  const end = new AbortController();
  server.faults.add({ kind: 'slow', delay: 5_000 });
  const listing = listed(await open(), null, end.signal);
  end.abort(new Error('deleted'));
  await expect(listing).rejects.toThrow('deleted');
});

test('the token is a secret, and a wrong one or another address is refused', async () => {
  await start();
  const connector = notion(toolsFor({}));
  expect(connector.readSetup({ token: 'ntn_1' }, 'org')).toEqual({
    ok: true,
    value: { setup: { apiUrl: 'https://api.notion.com' }, secrets: { token: 'ntn_1' } },
  });
  const message = expect.stringMatching(/^must /);
  expect(connector.readSetup({}, 'org')).toMatchObject({ error: { field: 'token', message } });
  expect(connector.readSetup({ token: 't', apiUrl: 'http://a.test' }, 'org')).toMatchObject({
    error: { field: 'apiUrl', message },
  });
});

describe('as a source', () => {
  sourceContract(async () => {
    const workspace = await start();
    const pages = new Map<string, string>();
    return {
      open: () => open(),
      put: async (name, text) => {
        const known = pages.get(name);
        if (known === undefined) pages.set(name, workspace.addPage({ title: name, blocks: [paragraph(text)] }));
        else workspace.changePage(known, { blocks: [paragraph(text)] });
      },
      remove: async (name) => workspace.trashPage(pages.get(name) ?? ''),
      lose: async () => server.revoke(),
      close: async () => {},
    };
  });
});
