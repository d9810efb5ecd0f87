import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilErased } from './support/erasure.ts';
import { historyOf, memoriesOf } from './support/memories.ts';
import { mergeTags } from './support/merge-tags.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** Memories of documents that callers have touched, in what was built for documents: tags, deletion, transfer, replay. */

let mneme: Mneme;
let folder: string;
beforeAll(async () => {
  mneme = await Mneme.start();
  folder = await mkdtemp(join(tmpdir(), 'mneme-passages-'));
});
afterAll(async () => {
  await mneme.stop();
  await rm(folder, { recursive: true });
});

const inTag = (tag: string, server = mneme) => memoriesOf(() => server, tag);

const FERRY = 'The ferry to the island leaves at seven in the morning from the old wooden pier.';
const TOWER = 'The lighthouse was painted white and red by two numbats from the village in May.';
const INN = 'The inn beside the harbour serves soup with quolls on Fridays, and fish on Sundays.';
const TEXT = [FERRY, TOWER, INN].join('\n\n');

/** A document of three memories, of which one is revised and one is forgotten. */
async function touchedIn(tag: string, revision: string) {
  const id = await mneme.addAndWait(TEXT, { containerTag: tag });
  const own = inTag(tag);
  const ferry = (await own.search(FERRY)).find(({ memory }) => memory === FERRY)?.id;
  await own.patch({ id: ferry, newContent: revision });
  await own.forget({ content: TOWER, reason: 'Painted again.' });
  return { id, ferry, ...own };
}

test('a tag counts each once, and they move with the document in a merge', async () => {
  const { found } = await touchedIn('islands', 'The ferry leaves at eight.');
  const counted = async (tag: string) => {
    const { body } = await mneme.get<{ containerTag: string }[]>('/v3/container-tags/list');
    return body.find(({ containerTag }) => containerTag === tag);
  };
  expect(await counted('islands')).toMatchObject({ documentCount: 1, memoryCount: 2 });
  await mergeTags(mneme, ['islands'], 'coast');
  expect(await found('ferry')).toEqual([]);
  const there = inTag('coast');
  expect(await counted('coast')).toMatchObject({ documentCount: 1, memoryCount: 2 });
  expect((await there.texts()).sort()).toEqual([INN, 'The ferry leaves at eight.'].sort());
  expect((await there.list({ includeForgotten: true })).pagination).toMatchObject({ totalItems: 3 });
  expect(await there.forget({ content: INN })).toMatchObject({ status: 200 });
  expect(await mneme.request('DELETE', '/v3/container-tags/coast')).toMatchObject({ status: 200 });
  expect((await there.list({ includeForgotten: true })).memoryEntries).toEqual([]);
});

test('bulk deletion by tag counts documents, and erases their memories', async () => {
  const { ferry, list } = await touchedIn('bulk', 'The ferry is steered by a potoroo.');
  expect((await mneme.request('DELETE', '/v3/documents/bulk', { containerTags: ['bulk'] })).body).toMatchObject({
    ...{ success: true, deletedCount: 1 },
  });
  expect((await list({ includeForgotten: true })).memoryEntries).toEqual([]);
  expect(await historyOf(mneme, ferry)).toContain('DocumentDeleted');
  await untilErased(mneme, ['potoroo', 'numbats', 'quolls']);
});

test('an export is imported with versions and decisions, and a replay changes nothing', async () => {
  const { id, ferry } = await touchedIn('transfer', 'The ferry leaves at nine.');
  const entries = async (server: Mneme) => {
    const { memoryEntries } = await inTag('transfer', server).list({ includeForgotten: true });
    return memoryEntries.map(({ orgId, spaceId, ...entry }: { orgId?: string; spaceId?: string; id: string }) => entry);
  };
  const before = await entries(mneme);
  expect(before).toHaveLength(3);
  const shown = async (server: Mneme) =>
    Promise.all(['ferry', 'lighthouse', '*'].map((q) => inTag('transfer', server).found(q, { searchMode: 'hybrid' })));
  const answers = await shown(mneme);
  const path = join(folder, 'exported');
  expect(await mneme.cli('export', path, '--tag', 'transfer')).toMatchObject({ code: 0 });
  const target = await Mneme.start();
  try {
    expect(await target.cli('import', path)).toMatchObject({ code: 0 });
    await target.settled(id);
    await eventually(async () => ((await entries(target)).length === 3 ? true : null));
    expect(await entries(target)).toEqual(before);
    expect(await shown(target)).toEqual(answers);
    expect(await historyOf(target, ferry)).toEqual(['PassageTouched', 'MemoryRevised', 'DocumentImported']);
    expect(await target.cli('replay', '--verify')).toMatchObject({ code: 0 });
  } finally {
    await target.stop();
  }
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
  expect(await mneme.cli('replay')).toMatchObject({ code: 0 });
  expect(await entries(mneme)).toEqual(before);
  expect(await shown(mneme)).toEqual(answers);
});
