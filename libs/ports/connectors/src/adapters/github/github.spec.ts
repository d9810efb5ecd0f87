import type { JsonObject } from '#platform/kernel';
import { startGitHub } from '../../../../../../test/support/github.ts';
import { sourceContract } from '../../source.contract.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { contentOf, type Listed, listed, opened } from '../../testing/opened.ts';
import { github } from './github.ts';

const NAME = 'octo/guide';
let server: Awaited<ReturnType<typeof startGitHub>>;
beforeEach(async () => {
  server = await startGitHub({ largestTree: 5 });
});
afterEach(() => server.close());

const open = (metadata: JsonObject = {}) =>
  opened(github(toolsFor({})), { token: server.token, apiUrl: server.url, repositories: NAME, ...metadata });

const ids = ({ items }: Pick<Listed, 'items'>) => items.map(({ id }) => id).sort();
const item = ({ items }: Listed, path: string) => {
  const found = items.find((one) => one.path === path);
  if (found === undefined) throw new Error(`no ${path} in ${items.map((one) => one.path).join(' ')}`);
  return found;
};

test('files are items by the hash of their content, and others are left out', async () => {
  server.addRepository(NAME, {
    'README.md': '# Guide',
    'src/été/a b.ts': 'export {};',
    'logo.png': 'x',
    'node_modules/x/index.js': 'x',
    'to.link': 'README.md',
  });
  const source = await open();
  const all = await listed(source);
  expect(ids(all)).toEqual(['file/1000//README.md', 'file/1000//src/été/a b.ts']);
  expect(item(all, '/octo/guide/src/été/a b.ts')).toMatchObject({
    ...{ title: 'a b.ts', size: 10, owner: 'octo' },
    link: 'https://github.test/octo/guide/blob/main/src/%C3%A9t%C3%A9/a%20b.ts',
  });
  expect(await contentOf(source, item(all, '/octo/guide/README.md'))).toBe('# Guide');
  expect(server.asked.every(({ authorization }) => authorization?.endsWith(server.token))).toBe(true);
});

test('bytes arrive as they are, also those that are no text', async () => {
  const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00, 0x80]);
  server.addRepository(NAME, { 'paper.pdf': bytes });
  const source = await open();
  const pdf = item(await listed(source), '/octo/guide/paper.pdf');
  const read = await source.fetch(
    pdf,
    async (content) => ('body' in content ? Buffer.concat(await Array.fromAsync(content.body)) : null),
    new AbortController().signal,
  );
  expect(read).toEqual(bytes);
});

test('a tree that is too large for one answer is read folder by folder', async () => {
  const paths = ['a/b/c/1.md', 'a/b/2.md', 'a/3.md', '4.md', 'd/5.md', 'd/6.md', 'd/7.md'];
  server.addRepository(NAME, Object.fromEntries(paths.map((path) => [path, path])));
  expect(ids(await listed(await open({ issues: false })))).toEqual(paths.map((path) => `file/1000//${path}`).sort());
});

test('after a first listing only changes are listed, and nothing is downloaded that has not changed', async () => {
  const repository = server.addRepository(NAME, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
  server.addIssue(repository, 'Old');
  const source = await open();
  const first = await listed(source);
  expect(first.ends.listing).toBe('complete');
  const before = server.asked.length;
  const none = await listed(source, first.ends.cursor);
  expect([none.items, none.removed, none.ends.listing]).toEqual([[], [], 'changes']);
  expect(server.asked.slice(before).map(({ status }) => status)).toEqual([304, 304, 200]);
  repository.files.set('a.md', 'edited').delete('b.md');
  repository.files.set('d.md', 'c');
  server.addIssue(repository, 'New', { updatedAt: Date.now() });
  const changes = await listed(source, none.ends.cursor);
  expect(ids(changes)).toEqual(['file/1000//a.md', 'file/1000//d.md', 'issue/1000/2']);
  expect(changes.removed).toEqual(['file/1000//b.md']);
});

test('everything is listed if the earlier tree is gone, another repository came, or the cursor is old', async () => {
  const repository = server.addRepository(NAME, { 'a.md': 'a' });
  const { ends } = await listed(await open());
  repository.files.set('a.md', 'b');
  server.forgetTrees();
  expect((await listed(await open(), ends.cursor)).ends.listing).toBe('complete');
  server.addRepository('octo/other', { 'x.md': 'x' });
  const both = await listed(await open({ repositories: `${NAME}, octo/other` }), ends.cursor);
  expect([ids(both).length, both.ends.listing]).toEqual([2, 'complete']);
  const old = { ...(ends.cursor as JsonObject), completeAt: 0 };
  expect((await listed(await open(), old)).ends.listing).toBe('complete');
});

test('an issue is one document with its comments, and so is a pull request', async () => {
  const repository = server.addRepository(NAME);
  server.addIssue(repository, 'It leaks', { comments: ['Me too', 'Fixed'] });
  server.addIssue(repository, 'Mend it', { isPullRequest: true });
  const source = await open();
  const all = await listed(source);
  const [issue, pull] = [item(all, '/octo/guide/issues/1'), item(all, '/octo/guide/pull/2')];
  expect(issue).toMatchObject({ title: 'It leaks (#1)', link: 'https://github.test/octo/guide/issues/1' });
  const text = await contentOf(source, issue);
  for (const part of ['# It leaks', 'Issue #1, open', 'Labels: bug', 'Body of It leaks', 'Me too', 'hubot', 'Fixed']) {
    expect(text).toContain(part);
  }
  expect(await contentOf(source, pull)).toContain('Pull request #2, open');
});

test('an issue that has just changed may change within the same second, so that it is read once more', async () => {
  const repository = server.addRepository(NAME);
  server.addIssue(repository, 'Settled');
  server.addIssue(repository, 'Fresh', { updatedAt: Date.now() });
  const source = await open();
  const versions = (all: Listed) => all.items.map(({ version }) => version);
  const first = await listed(source);
  const second = await listed(source);
  expect(versions(second)[0]).toBe(versions(first)[0]);
  expect(versions(second)[1]).not.toBe(versions(first)[1]);
  expect(ids(await listed(source, first.ends.cursor))).toEqual(['issue/1000/2']);
});

test('many issues and comments come in pages', async () => {
  const repository = server.addRepository(NAME);
  for (let count = 0; count < 250; count += 1) server.addIssue(repository, `Issue ${count}`);
  const talk = server.addIssue(repository, 'Talk', {
    comments: Array.from({ length: 130 }, (_, at) => `comment ${at}`),
  });
  const source = await open();
  const all = await listed(source);
  expect(all.items).toHaveLength(251);
  expect(await contentOf(source, item(all, `/octo/guide/issues/${talk.number}`))).toContain('comment 129');
});

test('an empty repository and one without issues have nothing', async () => {
  server.addRepository(NAME).hasNoIssues = true;
  expect((await listed(await open())).items).toEqual([]);
});

test('a branch can be named, and its files are others than those of the default branch', async () => {
  const repository = server.addRepository(NAME, { 'a.md': 'a' });
  repository.branch = 'docs/next';
  const all = await listed(await open({ repositories: `${NAME}@docs/next` }));
  expect(all.items[0]).toMatchObject({ id: 'file/1000/docs%2Fnext/a.md', path: '/octo/guide@docs/next/a.md' });
  await expect(listed(await open({ repositories: `${NAME}@gone` }))).rejects.toMatchObject({ code: 'source_lost' });
});

test.each([
  ['a wrong token', { status: 401 }, { code: 'source_lost' }],
  ['a token that may not', { status: 403, message: 'Resource not accessible' }, { code: 'source_lost' }],
  ['a repository that is gone', { status: 404 }, { code: 'source_lost' }],
  ['a failure', { status: 502 }, { code: 'fetch_failed', isTemporary: true }],
  ['too many requests', { status: 429, headers: { 'Retry-After': '30' } }, { code: 'source_busy', retryAfter: 30_000 }],
  [
    'a secondary limit',
    { status: 403, message: 'You have exceeded a secondary rate limit' },
    { code: 'source_busy', retryAfter: 60_000 },
  ],
])('%s', async (_, fault, error) => {
  server.addRepository(NAME, { 'a.md': 'a' });
  server.faults.push({ on: /repos/, ...fault });
  await expect(listed(await open())).rejects.toMatchObject(error);
});

test('a limit that is used up pauses until it is renewed', async () => {
  server.addRepository(NAME);
  const reset = Math.floor(Date.now() / 1_000) + 600;
  const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(reset) };
  server.faults.push({ on: /repos/, status: 403, headers });
  const error = await listed(await open()).catch((thrown) => thrown);
  expect(error.code).toBe('source_busy');
  expect(error.retryAfter).toBeGreaterThan(590_000);
  expect(error.retryAfter).toBeLessThanOrEqual(600_000);
});

test('a file that is gone in the meantime is one that can’t be read', async () => {
  server.addRepository(NAME, { 'a.md': 'a' });
  const source = await open();
  const [file] = (await listed(source)).items;
  server.faults.push({ on: /blobs/, status: 404 });
  await expect(contentOf(source, file as Listed['items'][number])).rejects.toMatchObject({ code: 'item_unreadable' });
});

test.each([
  [{ token: '' }, 'token'],
  [{ repositories: '' }, 'repositories'],
  [{ repositories: 'guide' }, 'repositories'],
  [{ repositories: '../x/y' }, 'repositories'],
  [{ repositories: 'a/b@../x y' }, 'repositories'],
  [{ files: 'no' }, 'files'],
  [{ files: false, issues: false }, 'issues'],
  [{ apiUrl: 'http://github.test/' }, 'apiUrl'],
])('%j is refused', (metadata, field) => {
  const read = github(toolsFor({})).readSetup({ token: 't', repositories: NAME, ...metadata }, 'org');
  expect(read).toMatchObject({ ok: false, error: { field, message: expect.stringMatching(/^must /) } });
});

test('the token is a secret, and all else is kept', () => {
  const read = github(toolsFor({})).readSetup({ token: 'ghp_1', repositories: 'a/b c/d@e' }, 'org');
  expect(read).toEqual({
    ok: true,
    value: {
      setup: { repositories: ['a/b', 'c/d@e'], files: true, issues: true, apiUrl: 'https://api.github.com' },
      secrets: { token: 'ghp_1' },
    },
  });
});

describe('as a source', () => {
  sourceContract(async () => {
    const repository = server.addRepository(NAME);
    return {
      open: () => open(),
      put: async (name, text) => void repository.files.set(`${name}.md`, text),
      remove: async (name) => server.removeFile(repository, `${name}.md`),
      lose: async () => {
        for (let times = 0; times < 20; times += 1) server.faults.push({ on: /./, status: 401 });
      },
      close: async () => {},
    };
  });
});
