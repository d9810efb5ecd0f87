import { eventually, Mneme } from './support/mneme.ts';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Hit {
  readonly memory?: string;
  readonly chunk?: string;
}

interface Passages {
  readonly chunks: readonly { readonly content: string }[];
  readonly total: number;
}

async function search(q: string, containerTag: string, searchMode: string): Promise<readonly Hit[]> {
  const body = { q, containerTag, searchMode, threshold: 0, limit: 3 };
  const { status, body: found } = await mneme.post<{ results: readonly Hit[] }>('/v4/search', body);
  expect(status).toBe(200);
  return found.results;
}

const expectFound = async (word: string, containerTag: string) => {
  expect((await search(word, containerTag, 'memories'))[0]?.memory).toContain(word);
  expect((await search(word, containerTag, 'documents'))[0]?.chunk).toContain(word);
};

/** Lines of about 60 characters, each with a word of its own. */
const wordOf = (line: number): string =>
  `zq${line.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string)}zq`;
const lineOf = (line: number): string => `The keeper wrote ${wordOf(line)} into the book of the lighthouse.`;

describe.each([
  ['50 KB', 50_000],
  ['500 KB', 500_000],
])('a text of %s', (name, bytes) => {
  const tag = `long ${name}`;
  const lines = Array.from({ length: Math.ceil(bytes / lineOf(0).length) }, (_, i) => lineOf(i));
  const middle = Math.floor(lines.length / 2);

  test('is found at its beginning, middle and end, and after a line was added; others are found meanwhile', async () => {
    await mneme.addAndWait('The ferry leaves at dawn.', { containerTag: `others of ${name}` });
    const id = await mneme.add(lines.join('\n'), { containerTag: tag, customId: tag });
    await expectFound('ferry', `others of ${name}`);
    expect(await mneme.settled(id)).toMatchObject({ status: 'done', content: lines.join('\n') });
    for (const line of [0, middle, lines.length - 1]) await expectFound(wordOf(line), tag);

    const longer = [...lines, 'The last boat is called Wanderer.'].join('\n');
    expect(await mneme.add(longer, { containerTag: tag, customId: tag })).toBe(id);
    await expectFound('ferry', `others of ${name}`);
    await eventually(async () => {
      const [hit] = await search('wanderer', tag, 'memories');
      return hit?.memory?.includes('Wanderer') ? hit : null;
    });
    const record = await mneme.settled(id);
    expect(record).toMatchObject({ status: 'done', content: longer });
    const { body } = await mneme.get<Passages>(`/v3/documents/${encodeURIComponent(tag)}/chunks`);
    const listed = await mneme.post<{ memories: { content: string }[] }>('/v3/documents/list', {
      ...{ containerTags: [tag], includeContent: true },
    });
    expect(listed.body.memories.map(({ content }) => content === longer)).toEqual([true]);
    expect(body.total).toBe(body.chunks.length);
    // Both hold every word of the text.
    const words = (texts: readonly string[]) => texts.join(' ').split(/\s+/).length;
    const all = words([longer]);
    expect(words((record.memories as { memory: string }[]).map(({ memory }) => memory))).toBe(all);
    expect(words(body.chunks.map(({ content }) => content))).toBe(all);
    for (const line of [0, middle, lines.length - 1]) await expectFound(wordOf(line), tag);
  });
});
