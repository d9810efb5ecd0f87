import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areEmbedded } from './support/combinations.ts';
import { runMneme } from './support/command.ts';
import { untilErased } from './support/erasure.ts';
import { historyOf, MEMORIES, memoriesOf } from './support/memories.ts';
import { mergeTags } from './support/merge-tags.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** Memories that were recorded directly in what was built for documents: tags, deletion, transfer, feed, audit. */

let mneme: Mneme;
let folder: string;
beforeAll(async () => {
  mneme = await Mneme.start();
  folder = await mkdtemp(join(tmpdir(), 'mneme-memories-'));
});
afterAll(async () => {
  await mneme.stop();
  await rm(folder, { recursive: true });
});

const inTag = (tag: string) => memoriesOf(() => mneme, tag);

test('a tag counts its active memories, which move with a merge and go with their tag', async () => {
  const { record, patch, forget } = inTag('source');
  const [walrus] = await record('Mara has a walrus.', 'Mara has a wolverine.', {
    content: 'Old.',
    forgetAfter: '2020-01-01',
  });
  await patch({ id: walrus?.id, newContent: 'Mara has an otter.' });
  await forget({ content: 'Mara has a wolverine.' });
  await mneme.addAndWait('The otter swims.', { containerTag: 'source' });
  const counted = async (tag: string) => {
    const { body } = await mneme.get<{ containerTag: string }[]>('/v3/container-tags/list');
    return body.find(({ containerTag }) => containerTag === tag);
  };
  expect(await counted('source')).toMatchObject({ documentCount: 1, memoryCount: 2 });
  await mergeTags(mneme, ['source'], 'target');
  const target = inTag('target');
  expect(await counted('target')).toMatchObject({ documentCount: 1, memoryCount: 2 });
  expect(await counted('source')).toBeUndefined();
  expect(await target.texts()).toEqual(['Mara has an otter.', 'The otter swims.']);
  expect(await target.forget({ content: 'Mara has a wolverine.' })).toMatchObject({ status: 409 });
  expect(await target.patch({ content: 'Mara has an otter.', newContent: 'Mara has a heron.' })).toMatchObject({
    body: { version: 3, rootMemoryId: walrus?.id },
  });
  expect(await mneme.request('DELETE', '/v3/container-tags/target')).toMatchObject({ status: 200 });
  expect(await target.found('heron', { include: { forgottenMemories: true } })).toEqual([]);
  expect(await target.list({ includeForgotten: true })).toMatchObject({ memoryEntries: [] });
  expect(await historyOf(mneme, walrus?.id)).toEqual(
    expect.arrayContaining(['MemoryRecorded', 'MemoryRevised', 'DocumentDeleted']),
  );
  expect((await mneme.get(`${MEMORIES}/unknown/events`)).status).toBe(404);
  await untilErased(mneme, ['walrus', 'otter', 'heron', 'wolverine']);
});

test('bulk deletion by tag erases them, with those that are forgotten', async () => {
  const { record, forget, list } = inTag('bulk');
  const [caracal] = await record('Mara saw a caracal.', 'Mara saw a marten.');
  await forget({ id: caracal?.id });
  const other = inTag('beside');
  await other.record('Mara saw a vole.');
  expect((await mneme.request('DELETE', '/v3/documents/bulk', { containerTags: ['bulk'] })).body).toMatchObject({
    ...{ success: true, deletedCount: 2 },
  });
  expect(await list({ includeForgotten: true })).toMatchObject({ memoryEntries: [] });
  expect(await inTag('bulk').forget({ id: caracal?.id })).toMatchObject({ status: 404 });
  expect(await other.texts()).toEqual(['Mara saw a vole.']);
  await untilErased(mneme, ['caracal', 'marten']);
});

test('a project takes them along', async () => {
  const { body } = await mneme.post<{ id: string; containerTag: string }>('/v3/projects', { name: 'Atlas' });
  const { id, containerTag } = body;
  await inTag(containerTag).record('Atlas begins in May.');
  expect(await mneme.request('DELETE', `/v3/projects/${id}`, { action: 'delete' })).toMatchObject({ status: 200 });
  expect(await inTag(containerTag).texts()).toEqual([]);
});

test('the feed has them under a category of their own, and says when one expires', async () => {
  const { record, patch, forget, restore } = inTag('feed');
  const [first] = await record('Mara sings.');
  await patch({ id: first?.id, newContent: 'Mara sings alto.' });
  await forget({ id: first?.id, reason: 'secret reason' });
  await restore(first?.id);
  const [brief] = await record({ content: 'Mara waits.', forgetAfter: new Date(Date.now() + 300).toISOString() });
  const expired = await eventually(async () => {
    const { out } = await mneme.cli('events', 'export', '--types', 'MemoryExpired');
    const events = out
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    return events.find(({ memoryId }) => memoryId === brief?.id) ?? null;
  });
  expect(expired).toMatchObject({ documentId: null, actor: 'system', tags: ['feed'] });
  const { out } = await mneme.cli('events', 'export', '--memory', first?.id as string);
  expect(out).not.toMatch(/alto|secret/);
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(events.map(({ memoryId, documentId }) => JSON.stringify([memoryId, documentId])))).toEqual(
    new Set([JSON.stringify([first?.id, null])]),
  );
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['MemoryRecorded', 'MemoryRevised', 'MemoryForgotten', 'MemoryRestored']),
  );
  expect(await mneme.cli('events', '--memory', 'unknown')).toMatchObject({ code: 1 });
});

test('the feed over HTTP names the memory', async () => {
  const live = await fetch(`${mneme.url}/v3/events?containerTag=live`, {
    headers: { authorization: `Bearer ${OWNER_KEY}` },
  });
  const reader = (live.body as ReadableStream<Uint8Array>).getReader();
  const [one] = await inTag('live').record('Mara whistles.');
  let text = '';
  for (let end = false; !end && !text.includes('MemoryRecorded'); ) {
    const { done, value } = await reader.read();
    text += new TextDecoder().decode(value);
    end = done;
  }
  await reader.cancel();
  expect(text).toContain(`"memoryId":"${one?.id}"`);
  expect(text).not.toContain('whistles');
});

test('an export is imported with ids, versions, times and what is forgotten, and verification finds no difference', async () => {
  const { record, patch, forget, list } = inTag('transfer');
  const [home] = await record({ content: 'Mara lives in Oslo.', metadata: { kind: ['home'] } }, 'Mara has a cat.');
  await patch({ id: home?.id, newContent: 'Mara lives in Bergen.' });
  await forget({ content: 'Mara has a cat.', reason: 'It died.' });
  const entries = async (from: Mneme) => {
    const page = { containerTags: ['transfer'], includeForgotten: true };
    const { body } = await from.post<{
      memoryEntries: { id: string; orgId: string; spaceId: string; updatedAt: string }[];
    }>(`${MEMORIES}/list`, page);
    return body.memoryEntries.map(({ orgId, spaceId, ...entry }) => entry);
  };
  const before = await entries(mneme);
  expect(before).toHaveLength(2);
  const path = join(folder, 'exported');
  expect(await mneme.cli('export', path, '--tag', 'transfer')).toMatchObject({ code: 0 });
  const target = await Mneme.start();
  try {
    expect(await target.cli('import', path)).toMatchObject({ code: 0 });
    expect(await eventually(async () => ((await entries(target)).length === 2 ? entries(target) : null))).toEqual(
      before,
    );
    expect(await historyOf(target, home?.id)).toEqual(['MemoryRecorded', 'MemoryRevised', 'DocumentImported']);
    expect(await target.cli('import', path)).toMatchObject({ code: 0, out: expect.stringContaining('2 unchanged') });
    const carried = memoriesOf(() => target, 'transfer');
    expect(await carried.found('Where does Mara live?')).toEqual(['Mara lives in Bergen.']);
    expect(await carried.patch({ id: before[1]?.id, newContent: 'Mara has a dog.' })).toMatchObject({ status: 404 });
    expect(await target.cli('replay', '--verify')).toMatchObject({ code: 0 });
  } finally {
    await target.stop();
  }
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
  expect(await list()).toMatchObject({ pagination: { totalItems: 1 } });
});

/** Backups are of data folders. */
const inFolders = areEmbedded() ? test : test.skip;

inFolders('they outlast a restart, a backup that is restored, and views that are built again', async () => {
  const own = await Mneme.start();
  const there = memoriesOf(() => own, 'kept');
  const [home] = await there.record('Mara lives in Oslo.', 'Mara has a cat.');
  await there.patch({ id: home?.id, newContent: 'Mara lives in Bergen.' });
  await there.forget({ content: 'Mara has a cat.' });
  const before = await there.list({ includeForgotten: true });
  const copy = join(folder, 'backup');
  expect(await own.cli('backup', copy)).toMatchObject({ code: 0 });
  expect(await own.cli('replay')).toMatchObject({ code: 0 });
  expect(await there.list({ includeForgotten: true })).toEqual(before);
  const again = await own.restart();
  expect(await memoriesOf(() => again, 'kept').list({ includeForgotten: true })).toEqual(before);
  await again.stop();
  const restored = join(folder, 'restored');
  expect(await runMneme(['restore', copy], { folder: restored, env: { MNEME_EMBEDDING: 'off' } })).toMatchObject({
    code: 0,
  });
  const server = await Mneme.start({ folder: restored });
  expect(await memoriesOf(() => server, 'kept').list({ includeForgotten: true })).toEqual(before);
  await server.stop();
});

test('a reset erases them', async () => {
  const reset = inTag('reset');
  const [gecko] = await reset.record('Mara has a gecko.');
  expect((await mneme.post('/v3/settings/reset', { confirmation: 'mneme' })).status).toBe(200);
  expect(await reset.list({ includeForgotten: true })).toMatchObject({ memoryEntries: [] });
  expect((await reset.patch({ id: gecko?.id, newContent: 'Mara has a newt.' })).status).toBe(404);
  await untilErased(mneme, ['gecko']);
});
