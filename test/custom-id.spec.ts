import { Mneme } from './support/mneme.ts';

/** What a text does to the document that has its customId (contract §3.3), over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const RETRY = { 'x-stainless-retry-count': '1' };
const report = (...changed: readonly string[]) =>
  Array.from({ length: 12 }, (_, i) => changed[i] ?? `Paragraph ${i} of the annual report.`).join('\n\n');

const send = async (customId: string, content: string, fields: object = {}, headers: Record<string, string> = {}) => {
  const { status, body } = await mneme.post('/v3/documents', { content, customId, ...fields }, headers);
  expect(status).toBe(200);
  return body as { id: string; status: string };
};
const contentOf = async (customId: string) => (await mneme.get(`/v3/documents/${customId}`)).body.content;

describe('the same customId', () => {
  test('an edited text replaces the stored one: what is gone is not found, what stays keeps its ids', async () => {
    const id = (await send('edited', report(), { containerTag: 'edited' })).id;
    await mneme.settled(id);
    const found = async (q: string) =>
      (
        await mneme.post<{ results: { id: string; memory: string }[] }>('/v4/search', {
          q,
          containerTag: 'edited',
          threshold: 0,
          limit: 100,
        })
      ).body.results;
    const before = new Map((await found('annual report')).map((one) => [one.memory, one.id]));

    const [first] = report().split('\n');
    const edited = report(first as string, 'A walrus follows in the annual report.');
    expect(await send('edited', edited)).toEqual({ id, status: 'queued' });
    expect((await mneme.settled(id)).content).toBe(edited);
    const after = await found('annual report');
    expect(after.some(({ memory }) => memory.includes('walrus'))).toBe(true);
    expect(after.some(({ memory }) => memory.includes('Paragraph 1 '))).toBe(false);
    const kept = after.filter(({ memory }) => before.has(memory));
    expect(kept.length).toBeGreaterThan(0);
    for (const one of kept) expect(one.id).toBe(before.get(one.memory));
  });

  test('a file of the file-memory tool is overwritten, whatever its likeness', async () => {
    const metadata = { claude_memory_type: 'file', file_path: '/a.txt', line_count: 1 };
    const { id } = await send('a_txt', 'first', { metadata });
    await send('a_txt', 'second', { metadata: { ...metadata, line_count: 2 } });
    const { body } = await mneme.get(`/v3/documents/${id}`);
    expect(body).toMatchObject({ content: 'second', metadata: { line_count: 2 } });
    await send('a_txt', 'third');
    expect(await contentOf('a_txt')).toBe('second\nthird');
  });

  test('what is similar is added: two meetings, and the same command with two answers', async () => {
    const meeting = (day: string) => `Weekly meeting of the harbour council\nDay: ${day}\nPlace: the old customs house`;
    await send('meetings', meeting('Monday'));
    await send('meetings', meeting('Tuesday'));
    expect(await contentOf('meetings')).toBe(`${meeting('Monday')}\n${meeting('Tuesday')}`);
    const ran = (answer: string) => `1. [user] Run all tests, and report each failure.\n2. [assistant] ${answer}`;
    await send('commands', ran('3 failed.'));
    await send('commands', ran('All passed.'));
    expect(await contentOf('commands')).toBe(`${ran('3 failed.')}\n${ran('All passed.')}`);
  });

  test('a conversation is replaced where its last answer is another one, and a window of it adds what follows', async () => {
    const turns = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `${i + 1}. [user] Message ${from + i} of the talk.`);
    await send('talk', turns(1, 6).join('\n'));
    const again = [...turns(1, 5), '6. [user] Another message.'].join('\n');
    await send('talk', again);
    expect(await contentOf('talk')).toBe(again);
    await send('window', turns(1, 20).join('\n'));
    await send('window', turns(3, 22).join('\n'));
    expect(((await contentOf('window')) as string).match(/Message \d+/g)).toEqual(
      Array.from({ length: 22 }, (_, i) => `Message ${i + 1}`),
    );
  });

  test('a repeated delta is appended once if it is a retry, and twice if it is not', async () => {
    await send('delta', 'user: I like figs.');
    await send('delta', 'user: And plums.');
    await send('delta', 'user: And plums.', {}, RETRY);
    await send('delta', 'user: And plums.', { metadata: { a: 1 } }, RETRY);
    expect(await contentOf('delta')).toBe('user: I like figs.\nuser: And plums.');
    expect((await mneme.get('/v3/documents/delta')).body.metadata).toEqual({ a: 1 });
    await send('delta', 'user: And plums.');
    expect(await contentOf('delta')).toBe('user: I like figs.\nuser: And plums.\nuser: And plums.');
  });

  test('a delta with another write after it is not taken for a retry', async () => {
    await send('written', 'One.');
    await send('written', 'Two.');
    await send('written', 'One.', { metadata: { by: 'another' } });
    await send('written', 'Two.', {}, RETRY);
    expect(await contentOf('written')).toBe('One.\nTwo.\nOne.\nTwo.');
  });

  test('fifty simultaneous adds of a new customId make one document with every text', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `Entry ${i} is about ${'abcdefghij'[i % 10]?.repeat(i + 5)}.`);
    const added = await Promise.all(texts.map((text) => send('fifty', text, { containerTag: 'fifty' })));
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    const { content } = await mneme.settled('fifty');
    expect((content as string).split('\n').sort()).toEqual(texts.sort());
    const { body } = await mneme.post<{ memories: unknown[] }>('/v3/documents/list', { containerTags: ['fifty'] });
    expect(body.memories).toHaveLength(1);
  });

  test('what is added while the document is processed is found when it is done', async () => {
    const { id } = await send('busy', report(), { containerTag: 'busy' });
    const added = Array.from({ length: 8 }, (_, i) => `Addition ${'qwertzui'[i]?.repeat(6)}.`);
    for (const text of added) await send('busy', text);
    await mneme.settled(id);
    for (const text of added) {
      const q = text.split(' ')[1];
      const { body } = await mneme.post<{ total: number }>('/v3/search', { q, containerTags: ['busy'] });
      expect(body.total).toBe(1);
    }
  });
});

describe('names', () => {
  test.each([
    ['a word of a route', 'list'],
    ['200 characters of two code units', '🦭'.repeat(200)],
  ])('a customId can be %s', async (_, customId) => {
    const { id } = await send(customId, 'A name.');
    expect(await mneme.get(`/v3/documents/${encodeURIComponent(customId)}`)).toMatchObject({
      status: 200,
      body: { id },
    });
    expect((await mneme.request('DELETE', `/v3/documents/${encodeURIComponent(customId)}`)).status).toBe(204);
  });

  test('a customId of 256 characters is refused', async () => {
    const refused = await mneme.post('/v3/documents', { content: 'x', customId: '🦭'.repeat(256) });
    expect(refused).toMatchObject({ status: 400, body: { details: 'customId' } });
  });

  test('the id of a document never names another one that has it as its customId, not even after its deletion', async () => {
    const id = await mneme.add('The owner of the id.');
    const namesake = (await send(id, 'A namesake.')).id;
    expect(namesake).not.toBe(id);
    expect((await mneme.get(`/v3/documents/${id}`)).body.content).toBe('The owner of the id.');
    expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
    expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
    expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(404);
    expect((await mneme.post(`/v3/documents/${id}/retry`)).status).toBe(404);
    expect((await send(id, 'More of it.')).id).toBe(namesake);
    expect((await mneme.get(`/v3/documents/${namesake}`)).body.content).toBe('A namesake.\nMore of it.');
  });
});
