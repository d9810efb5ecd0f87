import { untilErased, wordsHeld } from './support/erasure.ts';
import { Mneme } from './support/mneme.ts';

/** Summaries of documents, made of their own passages. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Shown {
  readonly id: string;
  readonly title: string | null;
  readonly summary: string | null;
  readonly updatedAt: string;
}

const recordOf = async (id: string) => (await mneme.get<Shown>(`/v3/documents/${id}`)).body;
const summaryOf = async (id: string) => (await recordOf(id)).summary;
async function eventsOf(id: string): Promise<readonly string[]> {
  const { body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
  return body.events.map(({ type }) => type);
}

/** What has no word in common with anything else. */
const ASIDES = [
  'Thanks go first to everyone whose gifts made printing these pages possible.',
  'Rain fell on forty days, mostly during July, while August stayed dry throughout.',
  'Lunch cost three crowns; soup came with bread, cheese and a slice of pear.',
  'Geese crossed overhead in November, later than any almanac had predicted.',
  'A lost umbrella, green with an ivory handle, may be claimed at the desk.',
  'Trains run hourly until midnight except on Sundays, when buses replace them.',
];

/** Two paragraphs say what it is about, and no summary holds all of them. */
const about = (subject: string) =>
  [
    ...ASIDES.slice(0, 3),
    `${subject} is repaired by the harbour council, which pays carpenters and divers.`,
    ...ASIDES.slice(3),
    `Divers and carpenters of the harbour council inspect ${subject} again.`,
  ].join('\n\n');

test('records, lists and searches show the summary of a document', async () => {
  const id = await mneme.addAndWait(about('Ottoline Pier'), { containerTag: 'shown' });
  const summary = await summaryOf(id);
  expect(summary).toContain('Ottoline Pier is repaired by the harbour council');
  expect(summary?.length).toBeLessThanOrEqual(400);

  const scope = { containerTags: ['shown'] };
  const { body: list } = await mneme.post<{ memories: readonly Shown[] }>('/v3/documents/list', scope);
  expect(list.memories.map((record) => record.summary)).toEqual([summary]);
  const documents = async (fields: object) =>
    (await mneme.post<{ results: readonly object[] }>('/v3/search', { q: 'pier', ...scope, ...fields })).body.results;
  expect(await documents({ includeSummary: true })).toEqual([expect.objectContaining({ summary })]);
  expect(await documents({})).not.toContainEqual(expect.objectContaining({ summary }));
  const memories = async (include: object) => {
    const query = { q: 'Ottoline Pier', containerTag: 'shown', threshold: 0, limit: 1, include };
    return (await mneme.post<{ results: readonly { documents?: object[] }[] }>('/v4/search', query)).body.results;
  };
  expect((await memories({ summaries: true }))[0]?.documents).toEqual([expect.objectContaining({ id, summary })]);
  expect((await memories({ documents: true }))[0]?.documents?.[0]).not.toHaveProperty('summary');
});

test.each([
  ['one sentence is its own summary', 'The heron waits.', {}, 'The heron waits.'],
  ['a few sentences are their own summary', 'The heron waits. It strikes.', {}, 'The heron waits. It strikes.'],
  ['turns have a line each', 'Ann: Is it tarred?\nBo: It is.', {}, 'Ann: Is it tarred?\nBo: It is.'],
  ['Japanese is joined without spaces', '船は七時に出る。\n\n灯台は島にある。', {}, '船は七時に出る。灯台は島にある。'],
  ['passages only', 'The heron waits. It strikes.', { taskType: 'superrag' }, 'The heron waits. It strikes.'],
])('%s', async (_, content, fields, summary) => {
  expect(await summaryOf(await mneme.addAndWait(content, { ...fields, containerTag: 'kinds' }))).toBe(summary);
});

test('a text without words or sentences has a summary of at most 400 characters', async () => {
  for (const content of ['𠮷'.repeat(3_000), 'x = f(y);\n'.repeat(300), 'QUJD'.repeat(2_000), '🦆'.repeat(900)]) {
    const summary = await summaryOf(await mneme.addAndWait(content, { containerTag: 'odd', taskType: 'superrag' }));
    expect([...(summary ?? '')].length).toBeGreaterThan(0);
    expect([...(summary ?? '')].length).toBeLessThanOrEqual(400);
  }
});

test('a summary follows every change of the content, and no other', async () => {
  const customId = 'report';
  const id = await mneme.addAndWait(about('Ottoline Pier'), { customId });
  const before = await recordOf(id);
  await mneme.request('PATCH', `/v3/documents/${id}`, { metadata: { year: 1901 } });
  expect(await summaryOf(id)).toBe(before.summary);

  await mneme.request('PATCH', `/v3/documents/${id}`, { content: about('Benno Weir') });
  await mneme.settled(id);
  expect(await summaryOf(id)).toContain('Benno Weir is repaired');
  expect(await summaryOf(id)).not.toContain('Ottoline');

  const added = 'Every quince of the orchard is sold. '.repeat(12);
  await mneme.add(`${about('Benno Weir')}\n\n${added}`, { customId });
  await mneme.settled(id);
  expect(await summaryOf(id)).not.toBe(before.summary);
  expect((await eventsOf(id)).filter((type) => type === 'SummaryFormed')).toHaveLength(3);
});

test('a replay makes no summary again', async () => {
  const id = await mneme.addAndWait(about('Old Mill'), { containerTag: 'replayed' });
  const [record, events] = [await recordOf(id), await eventsOf(id)];
  expect(await mneme.cli('replay')).toMatchObject({ code: 0 });
  expect(await recordOf(id)).toEqual(record);
  expect(await eventsOf(id)).toEqual(events);
  expect((await mneme.cli('doctor')).out).toMatch(/summaries.*none is missing/);
});

test('a very long text is done with its summary', async () => {
  const text = Array.from(
    { length: 10_000 },
    (_, i) => `Paragraph ${i} tells of weather number ${i} and of lunch.`,
  ).join('\n\n');
  expect(text.length).toBeGreaterThan(500_000);
  const id = await mneme.add(text, { containerTag: 'long' });
  await mneme.settled(id, 120_000);
  expect(await summaryOf(id)).toMatch(/^Paragraph \d+ tells/);
  expect((await eventsOf(id)).at(-1)).toBe('DocumentIndexed');
});

test('a deletion erases the summary everywhere', async () => {
  const word = `zyx${crypto.randomUUID().replaceAll('-', '')}`;
  const id = await mneme.addAndWait(about(word), { containerTag: 'erased' });
  expect(await summaryOf(id)).toContain(word);
  expect(await wordsHeld(mneme, [word])).not.toEqual([]);
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  await untilErased(mneme, [word]);
});
