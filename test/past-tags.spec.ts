import { now } from './support/clock.ts';
import { memoriesOf } from './support/memories.ts';
import { mergeTags } from './support/merge-tags.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** With `asOf`, the tags of that time select, whatever tags documents and memories have today. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `tags-${tags++}`;

const BEES = 'Mara keeps four hives of bees in the orchard behind the old mill near the river.';
const HONEY = 'The honey is sold every Saturday at the market in the square beside the church.';

/** Whether each kind of question about a tag finds a text: `true`, or the names of those that do not agree with `false`. */
async function isFound(containerTag: string, text: string, word: string, asOf?: string) {
  const time = asOf === undefined ? {} : { asOf };
  const own = memoriesOf(() => mneme, containerTag);
  const search = async (q: string, searchMode: string) =>
    JSON.stringify(await own.search(q, { searchMode, ...time })).includes(text);
  const documents = async (q: string) => {
    const asked = { q, containerTags: [containerTag], chunkThreshold: 0, ...time };
    return JSON.stringify((await mneme.post('/v3/search', asked)).body).includes(text);
  };
  const profile = async () =>
    JSON.stringify((await mneme.post('/v4/profile', { containerTag, ...time })).body).includes(text);
  const answers = {
    memories: await search(word, 'memories'),
    hybrid: await search(word, 'hybrid'),
    chunks: await search(word, 'documents'),
    documents: await documents(word),
    newestDocuments: await documents('*'),
    newestMemories: await search('*', 'memories'),
    list: (await own.texts(time)).includes(text),
    profile: await profile(),
  };
  return [...new Set(Object.values(answers))].length === 1 ? answers.memories : answers;
}

async function change(id: string, body: object): Promise<void> {
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, body)).status).toBe(200);
  await mneme.settled(id);
}

/** Searches show what is done a moment later. */
const shown = (tag: string, text: string, word: string) =>
  eventually(async () => (await isFound(tag, text, word)) === true || null);

test('a document is found by the tags that it had', async () => {
  const [mill, farm, shop] = [newTag(), newTag(), newTag()];
  const early = await now();
  const id = await mneme.addAndWait(BEES, { containerTag: mill });
  await shown(mill, BEES, 'bees');
  const first = await now();
  await change(id, { containerTags: [farm] });
  await shown(farm, BEES, 'bees');
  const second = await now();
  await change(id, { containerTags: [shop, farm] });
  await shown(shop, BEES, 'bees');
  const third = await now();

  const founds = (tag: string) =>
    Promise.all([early, first, second, third, undefined].map((at) => isFound(tag, BEES, 'bees', at)));
  expect(await founds(mill)).toEqual([false, true, false, false, false]);
  expect(await founds(farm)).toEqual([false, false, true, true, true]);
  expect(await founds(shop)).toEqual([false, false, false, true, true]);
  const { body } = await mneme.get<{ containerTag: string }[]>('/v3/container-tags/list');
  expect(body.map(({ containerTag }) => containerTag)).not.toContain(mill);
  // Without a tag, all of then are asked.
  const { body: any } = await mneme.post('/v3/search', { q: 'bees', chunkThreshold: 0, asOf: first });
  expect(JSON.stringify(any)).toContain(BEES);

  await mneme.request('DELETE', `/v3/documents/${id}`);
  await eventually(async () => (await isFound(mill, BEES, 'bees', first)) === false || null);
});

test('so is what an edit has removed from it', async () => {
  const [mill, farm] = [newTag(), newTag()];
  const id = await mneme.addAndWait(`${BEES}\n\n${HONEY}`, { containerTag: mill });
  await shown(mill, HONEY, 'honey');
  const first = await now();
  await change(id, { content: BEES });
  const second = await now();
  await change(id, { containerTags: [farm] });
  await shown(farm, BEES, 'bees');
  const own = memoriesOf(() => mneme, mill);
  expect(await own.found('honey', { asOf: first })).toContain(HONEY);
  expect(await own.found('honey', { asOf: second })).not.toContain(HONEY);
  expect(await memoriesOf(() => mneme, farm).found('honey', { asOf: first })).toEqual([]);
});

test('a memory of a document that was corrected is found by the tags of then, in the version of then', async () => {
  const [mill, farm] = [newTag(), newTag()];
  const id = await mneme.addAndWait(BEES, { containerTag: mill });
  const own = memoriesOf(() => mneme, mill);
  const [said] = (await own.list()).memoryEntries;
  const first = await now();
  await own.patch({ id: said?.id, newContent: 'Mara has sold her bees.' });
  const second = await now();
  await change(id, { containerTags: [farm] });
  const moved = memoriesOf(() => mneme, farm);
  await eventually(async () => (await moved.found('bees')).includes('Mara has sold her bees.') || null);
  expect(await own.found('bees', { asOf: first })).toEqual([BEES]);
  expect(await own.texts({ asOf: first })).toEqual([BEES]);
  expect(await own.found('bees', { asOf: second })).toEqual(['Mara has sold her bees.']);
  expect(await own.texts({ asOf: second })).toEqual(['Mara has sold her bees.']);
  expect(await moved.found('bees', { asOf: second })).toEqual([]);
  expect(await moved.texts({ asOf: second })).toEqual([]);
  expect(await own.found('bees')).toEqual([]);
});

test('memories that a merge of tags has moved are found and listed by the tags of then', async () => {
  const [mill, farm] = [newTag(), newTag()];
  const [own, moved] = [memoriesOf(() => mneme, mill), memoriesOf(() => mneme, farm)];
  const [bees] = await own.record({ content: 'Mara keeps bees.', isStatic: true });
  await moved.record('Mara keeps bees.');
  const first = await now();
  await own.patch({ id: bees?.id, newContent: 'Mara keeps hens.' });
  const second = await now();
  await mergeTags(mneme, [mill], farm);
  await eventually(async () => (await moved.found('hens')).includes('Mara keeps hens.') || null);

  for (const [at, texts] of [
    [first, ['Mara keeps bees.']],
    [second, ['Mara keeps hens.']],
  ] as const) {
    expect(await own.found('hens bees', { asOf: at })).toEqual(texts);
    expect(await own.texts({ asOf: at })).toEqual(texts);
    const { body } = await mneme.post('/v4/profile', { containerTag: mill, asOf: at });
    expect(body.profile).toMatchObject({ static: texts, dynamic: [] });
    expect(await moved.texts({ asOf: at })).toEqual(['Mara keeps bees.']);
    expect(await moved.found('hens bees', { asOf: at })).toEqual(['Mara keeps bees.']);
  }
  // What was said in two tags then is not one memory.
  const { body: both } = await mneme.post('/v4/memories/list', { containerTags: [mill, farm], asOf: first });
  expect(both.memoryEntries).toMatchObject([{ memory: 'Mara keeps bees.' }, { memory: 'Mara keeps bees.' }]);
  expect(await own.texts()).toEqual([]);
  expect(await moved.texts()).toEqual(['Mara keeps bees.', 'Mara keeps hens.']);
});
