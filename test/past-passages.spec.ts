import { now } from './support/clock.ts';
import { untilErased } from './support/erasure.ts';
import { memoriesOf } from './support/memories.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** What an edit removed from a document is found as of a time when it was there, and not otherwise. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `former-${tags++}`;

const BEES = 'Mara keeps four hives of bees in the orchard behind the old mill near the river.';
const HONEY = 'The honey is sold every Saturday at the market in the square beside the church.';
const WASPS = 'Last summer a nest of hornets was found under the roof of the shed at the gate.';
const textOf = (...parts: readonly string[]) => parts.join('\n\n');

function inTag(containerTag: string) {
  const own = memoriesOf(() => mneme, containerTag);
  return {
    ...own,
    add: (...parts: readonly string[]) => mneme.addAndWait(textOf(...parts), { containerTag }),
    async edit(id: string, ...parts: readonly string[]): Promise<void> {
      expect((await mneme.request('PATCH', `/v3/documents/${id}`, { content: textOf(...parts) })).status).toBe(200);
      await mneme.settled(id);
      // Searches may show the new text a moment later.
      const last = parts.at(-1) as string;
      await eventually(async () => (await own.found(last)).some((text) => last.includes(`${text}`)) || null);
    },
    async idOf(text: string): Promise<string | undefined> {
      return (await own.list()).memoryEntries.find(({ memory }) => memory === text)?.id;
    },
    async chunks(q: string, more: object = {}): Promise<readonly { content: string; position: number }[]> {
      const asked = { q, containerTags: [containerTag], limit: 100, chunkThreshold: 0, ...more };
      const { body } = await mneme.post<{ results: { chunks: { content: string; position: number }[] }[] }>(
        '/v3/search',
        asked,
      );
      return body.results.flatMap((result) => result.chunks);
    },
  };
}

/** Texts that searches of all kinds find for a word, as of a time. */
async function everywhere(own: ReturnType<typeof inTag>, word: string, more: object): Promise<readonly string[]> {
  const found = await Promise.all([
    own.found(word, more),
    own.search(word, { searchMode: 'hybrid', ...more }),
    own.search(word, { searchMode: 'documents', ...more }),
    own.chunks(word, more),
  ]);
  return found.flat().flatMap((one) => {
    const text = typeof one === 'string' ? one : JSON.stringify(one ?? null);
    return text.includes(word) ? [text] : [];
  });
}

test('text that an edit replaced is found as of a time before it, in each version that it was in', async () => {
  const own = inTag(newTag());
  const early = await now();
  const id = await own.add(BEES, HONEY);
  const first = await now();
  await own.edit(id, BEES, WASPS);
  const second = await now();
  await own.edit(id, HONEY);
  const third = await now();

  const texts = async (asOf: string) => (await own.found('bees honey hornets', { asOf })).toSorted();
  expect(await texts(early)).toEqual([]);
  expect(await texts(first)).toEqual([HONEY, BEES].toSorted());
  expect(await texts(second)).toEqual([WASPS, BEES].toSorted());
  expect(await texts(third)).toEqual([HONEY]);
  expect(await own.found('hornets')).not.toContain(WASPS);
  expect(await everywhere(own, 'hornets', {})).toEqual([]);
  expect((await everywhere(own, 'hornets', { asOf: second })).length).toBeGreaterThan(2);
  expect(await everywhere(own, 'hornets', { asOf: first })).toEqual([]);
  expect(await everywhere(own, 'hornets', { asOf: third })).toEqual([]);
  // No date finds what is in no version of today.
  expect(await everywhere(own, 'hornets', { validAt: second })).toEqual([]);
});

test('chunks have the places of then, and are shown with those around them', async () => {
  const own = inTag(newTag());
  const sentences = (topic: string) =>
    Array.from({ length: 40 }, (_, i) => `Entry ${i} of the ${topic} mentions the weather and the ferry.`).join(' ');
  const parts = [sentences('harbour'), sentences('lighthouse'), sentences('quarry')];
  const id = await own.add(...parts);
  const before = await now();
  // Searches may show what is done a moment later.
  const beginning = await eventually(async () => {
    const found = await own.chunks('*');
    return found.length > 0 ? found : null;
  });
  const then = await own.chunks('lighthouse', { onlyMatchingChunks: false });
  await own.edit(id, sentences('garden'));
  expect(await own.chunks('lighthouse', { onlyMatchingChunks: false })).not.toEqual(then);
  const asOf = { asOf: before };
  const placesOf = (chunks: readonly { content: string; position: number }[]) =>
    chunks.map(({ content, position }) => [position, content]).toSorted();
  expect(placesOf(await own.chunks('lighthouse', { onlyMatchingChunks: false, ...asOf }))).toEqual(placesOf(then));
  expect(placesOf(await own.chunks('*', asOf))).toEqual(placesOf(beginning));
});

test('what is forgotten of a document is cut from what has left it, and comes back when it is restored', async () => {
  const own = inTag(newTag());
  const id = await own.add(BEES, HONEY, WASPS);
  const before = await now();
  const [bees, hornets] = [await own.idOf(BEES), await own.idOf(WASPS)];
  await own.edit(id, BEES);
  await own.forget({ id: bees });
  expect(await everywhere(own, 'bees', { asOf: before })).toEqual([]);
  expect((await everywhere(own, 'honey', { asOf: before })).length).toBeGreaterThan(2);
  expect(await own.search('bees', { asOf: before, include: { forgottenMemories: true } })).toContainEqual(
    expect.objectContaining({ memory: BEES, isForgotten: true }),
  );
  await own.restore(bees);
  expect(await own.found('bees', { asOf: before })).toContain(BEES);

  // Forgotten while it was there, and gone since.
  await own.edit(id, BEES, WASPS);
  const again = await now();
  await own.forget({ id: hornets });
  await own.edit(id, BEES);
  for (const asOf of [before, again]) {
    expect(await everywhere(own, 'hornets', { asOf })).toEqual([]);
    expect(await own.search('hornets', { asOf, include: { forgottenMemories: true } })).toContainEqual(
      expect.objectContaining({ memory: WASPS, isForgotten: true }),
    );
  }
  expect((await everywhere(own, 'bees', { asOf: before })).length).toBeGreaterThan(2);
});

test('a revision of a memory whose passage has left is found as of its time', async () => {
  const own = inTag(newTag());
  const id = await own.add(BEES, HONEY);
  const first = await now();
  await own.patch({ id: await own.idOf(HONEY), newContent: 'The honey is sold on Sundays now.' });
  const second = await now();
  await own.edit(id, BEES);
  const third = await now();
  expect(await own.found('When is the honey sold?', { asOf: first })).toContain(HONEY);
  expect(await own.found('When is the honey sold?', { asOf: second })).toContain('The honey is sold on Sundays now.');
  expect(await own.found('When is the honey sold?', { asOf: second })).not.toContain(HONEY);
  expect((await own.found('When is the honey sold?', { asOf: third })).join()).not.toContain('honey');
});

test('it stays when the views are built again, follows the tags, and goes with the document', async () => {
  const [tag, other] = [newTag(), newTag()];
  const own = inTag(tag);
  const id = await own.add(BEES, 'The numbat sleeps in the hollow log beside the gate of the old sawmill.');
  const before = await now();
  await own.edit(id, BEES);
  await own.edit(id, BEES, HONEY);
  const then = await own.search('numbat', { asOf: before, searchMode: 'hybrid' });
  expect(JSON.stringify(then)).toContain('numbat');
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
  expect(await mneme.cli('replay')).toMatchObject({ code: 0 });
  expect(await own.search('numbat', { asOf: before, searchMode: 'hybrid' })).toEqual(then);
  const moved = { containerTags: [tag, other] };
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, moved)).status).toBe(200);
  await mneme.settled(id);
  expect(await own.found('numbat', { asOf: before })).toEqual([expect.stringContaining('numbat')]);
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect(await everywhere(own, 'numbat', { asOf: before })).toEqual([]);
  await untilErased(mneme, ['numbat']);
});
