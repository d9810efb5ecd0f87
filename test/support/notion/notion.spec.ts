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
} from './blocks.ts';
import { startNotion } from './notion.ts';

let notion: Awaited<ReturnType<typeof startNotion>>;
afterEach(() => notion.close());

/** Asks as the public description says. */
async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${notion.url}/v1/${path}`, {
    ...{ method, body: body === undefined ? undefined : JSON.stringify(body) },
    headers: { authorization: `Bearer ${notion.token}`, 'notion-version': '2026-03-11', ...headers },
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

test('search, pages and blocks are read with paging, by the token and the version alone', async () => {
  notion = await startNotion({ largestPage: 2 });
  const { workspace } = notion;
  const home = workspace.addPage({ title: 'Home', blocks: [paragraph('One', [toDo('Two', true)]), code('x = 1')] });
  const below = workspace.addPage({
    title: 'Below',
    parent: home,
    blocks: [equation('e=mc^2'), bookmark('https://a.example')],
  });
  const { dataSources } = workspace.addDatabase({
    title: 'Tasks',
    parent: home,
    properties: { Name: 'title', Count: 'number' },
  });
  const [source = ''] = dataSources;
  const row = workspace.addRow(source, { title: 'Row', properties: { Count: { type: 'number', number: 3 } } });

  const first = await ask('POST', 'search', { page_size: 3 });
  expect(first.body).toMatchObject({ object: 'list', has_more: true, type: 'page_or_data_source' });
  expect(first.body.results.map(({ id }: { id: string }) => id)).toEqual([row, source]);
  const second = await ask('POST', 'search', { start_cursor: first.body.next_cursor });
  expect(second.body.results.map(({ id }: { id: string }) => id)).toEqual([below, home]);
  expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
  const { body: named } = await ask('POST', 'search', {
    query: 'task',
    filter: { property: 'object', value: 'data_source' },
  });
  expect(named.results).toMatchObject([{ object: 'data_source', parent: { type: 'database_id' } }]);

  const { body: blocks } = await ask('GET', `blocks/${home.replaceAll('-', '')}/children?page_size=2`);
  expect(blocks.results).toMatchObject([
    { type: 'paragraph', has_children: true, paragraph: { rich_text: [{ plain_text: 'One' }] } },
    { type: 'code', code: { language: 'plain text' } },
  ]);
  const { body: rest } = await ask('GET', `blocks/${home}/children?start_cursor=${blocks.next_cursor}`);
  expect(rest.results).toMatchObject([{ type: 'child_page', id: below }, { type: 'child_database' }]);
  const { body: nested } = await ask('GET', `blocks/${blocks.results[0].id}/children`);
  expect(nested.results).toMatchObject([{ to_do: { checked: true }, parent: { type: 'block_id' } }]);

  const { body: rows } = await ask('POST', `data_sources/${source}/query`, {});
  expect(rows.results).toMatchObject([{ id: row, properties: { Count: { number: 3 }, Name: { id: 'title' } } }]);
  const late = { timestamp: 'last_edited_time', last_edited_time: { after: rows.results[0].last_edited_time } };
  expect((await ask('POST', `data_sources/${source}/query`, { filter: late })).body.results).toEqual([]);

  expect((await ask('GET', 'users/me', undefined, { authorization: 'Bearer x' })).body.code).toBe('unauthorized');
  expect((await ask('GET', 'users/me', undefined, { 'notion-version': '' })).body.code).toBe('missing_version');
  expect((await ask('GET', 'users')).body.results).toHaveLength(2);
  notion.revoke();
  expect((await ask('GET', 'users/me')).status).toBe(401);
  expect(notion.asked[0]).toMatchObject({ method: 'POST', path: '/v1/search', version: '2026-03-11', hasToken: true });
});

test('pages change, move, go to the trash and vanish; times are those of the minute', async () => {
  notion = await startNotion();
  const { workspace } = notion;
  const id = workspace.addPage({ title: 'A' });
  const time = async () => (await ask('GET', `pages/${id}`)).body.last_edited_time;
  const before = await time();
  expect(before).toMatch(/:00\.000Z$/);
  workspace.changePage(id, { blocks: [paragraph('x')] }, true);
  expect(await time()).toBe(before);
  workspace.changePage(id, { title: 'B' });
  expect((await time()) > before).toBe(true);
  workspace.trashPage(id);
  expect((await ask('GET', `pages/${id}`)).body.in_trash).toBe(true);
  expect((await ask('GET', `pages/${id}`, undefined, { 'notion-version': '2025-09-03' })).body.archived).toBe(true);
  expect((await ask('POST', 'search', {})).body.results).toEqual([]);
  workspace.removePage(id);
  expect((await ask('GET', `pages/${id}`)).body).toMatchObject({ status: 404, code: 'object_not_found' });
});

test('files have addresses that end, on a host of their own', async () => {
  notion = await startNotion({ fileTtl: 60_000 });
  const { workspace } = notion;
  const file = workspace.addFile('plan.txt', Buffer.from('the plan'), 'text/plain');
  const page = workspace.addPage({ title: 'Files', blocks: [fileBlock('file', file)] });
  const { body } = await ask('GET', `blocks/${page}/children`);
  const { url } = body.results[0].file.file;
  expect(await (await fetch(url)).text()).toBe('the plan');
  expect((await fetch(url.replace(/Expires=\d+/, 'Expires=1'))).status).toBe(403);
  expect(notion.asked.at(-1)).toMatchObject({ host: 'files', hasToken: false });
});

test('columns, tables, synced blocks and long lists of references', async () => {
  notion = await startNotion();
  const { workspace } = notion;
  const blocks = [
    columns([paragraph('left')], [paragraph('right')]),
    table(['a', 'b'], ['1', '2']),
    synced(null, [paragraph('s')]),
  ];
  const page = workspace.addPage({ title: 'Shapes', blocks });
  const { body } = await ask('GET', `blocks/${page}/children`);
  const [, tableId, original] = body.results.map(({ id }: { id: string }) => id);
  expect((await ask('GET', `blocks/${tableId}/children`)).body.results[1].table_row.cells[0][0].plain_text).toBe('1');
  const copy = workspace.addPage({ title: 'Copy', blocks: [synced(original)] });
  const { body: shown } = await ask('GET', `blocks/${copy}/children`);
  const { body: copied } = await ask('GET', `blocks/${shown.results[0].id}/children`);
  expect(copied.results).toMatchObject([{ paragraph: { rich_text: richText('s') } }]);
  const relation = Array.from({ length: 30 }, (_, at) => ({ id: String(at) }));
  workspace.changePage(page, { properties: { Links: { type: 'relation', relation } } });
  const { Links } = (await ask('GET', `pages/${page}`)).body.properties;
  expect([Links.relation.length, Links.has_more]).toEqual([25, true]);
  const { body: all } = await ask('GET', `pages/${page}/properties/${Links.id}`);
  expect(all.results).toHaveLength(30);
});

test('a text has looks, links, equations and mentions; other blocks are what they are', async () => {
  notion = await startNotion();
  const mention = { type: 'date', date: { start: '2026-03-01', end: null, time_zone: null } };
  const text = [
    { text: 'bold', looks: ['bold'] as const },
    { text: 'there', href: 'https://a.example/' },
    { text: 'x^2', kind: 'equation' as const },
    { text: '2026-03-01', kind: { mention } },
  ];
  const blocks = [
    textBlock('heading_2', text),
    callout('Mind the gap'),
    divider,
    externalImage('https://a.example/b.png', 'A picture'),
    unsupported,
  ];
  const page = notion.workspace.addPage({ title: 'Looks', blocks });
  const { results } = (await ask('GET', `blocks/${page}/children`)).body;
  expect(results[0].heading_2.rich_text).toMatchObject([
    { annotations: { bold: true, italic: false }, href: null },
    { text: { content: 'there', link: { url: 'https://a.example/' } }, href: 'https://a.example/' },
    { type: 'equation', equation: { expression: 'x^2' } },
    { type: 'mention', mention, plain_text: '2026-03-01' },
  ]);
  expect(results.slice(1)).toMatchObject([
    { callout: { icon: { emoji: '💡' } } },
    { type: 'divider' },
    { image: { type: 'external', external: { url: 'https://a.example/b.png' } } },
    { type: 'unsupported' },
  ]);
});

test('faults are met when and as often as they were asked for', async () => {
  notion = await startNotion();
  notion.faults.add({ on: /search/, kind: 'rate_limited', retryAfter: 2, after: 1 });
  expect((await ask('POST', 'search', {})).status).toBe(200);
  const limited = await ask('POST', 'search', {});
  expect([limited.status, limited.headers.get('retry-after'), limited.body.code]).toEqual([429, '2', 'rate_limited']);
  expect((await ask('POST', 'search', {})).status).toBe(200);
  notion.faults.add({ kind: 'service_unavailable', times: Number.POSITIVE_INFINITY });
  expect((await ask('GET', 'users')).status).toBe(503);
  notion.faults.mend();
  notion.faults.add({ kind: 'cut' });
  await expect(ask('GET', 'users')).rejects.toThrow();
  expect((await ask('GET', 'users')).status).toBe(200);
});
