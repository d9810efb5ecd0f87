import { eventually, Mneme } from './support/mneme.ts';

/** Options of the search for memories that add to its results. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Result {
  readonly id: string;
  readonly memory?: string;
  readonly chunk?: string;
  readonly similarity: number;
  readonly isAggregated?: boolean;
  readonly documents?: readonly { readonly id: string; readonly summary?: string | null }[];
  readonly context?: { readonly parents: unknown[]; readonly children: unknown[]; readonly related: object[] };
  readonly chunks?: readonly { readonly content: string; readonly documentId: string; readonly score: number }[];
}

async function search(containerTag: string, fields: object): Promise<readonly Result[]> {
  const query = { containerTag, threshold: 0, ...fields };
  const { status, body } = await mneme.post<{ results: readonly Result[]; total: number }>('/v4/search', query);
  expect(status).toBe(200);
  expect(body.total).toBe(body.results.length);
  return body.results;
}

const add = (containerTag: string, content: string, fields: object = {}) =>
  mneme.addAndWait(content, { containerTag, ...fields });

describe('aggregate', () => {
  const TEXTS = [
    ['The ferry leaves the island at seven.', '2026-03-02'],
    ['The ferry to the island was repaired.', '2026-01-05'],
    ['Ferry tickets for the island are sold at the kiosk.', '2026-02-10'],
    ['Quinces of the island ripen in October.', '2026-02-11'],
  ] as const;
  const ids: string[] = [];
  beforeAll(async () => {
    for (const [text, documentDate] of TEXTS) ids.push(await add('harbour', text, { documentDate }));
    await add('other', 'The ferry of the other island is yellow.');
  });

  test('adds a result that joins those about one subject by date, behind the best of them', async () => {
    const q = 'ferry';
    const plain = await search('harbour', { q });
    const results = await search('harbour', { q, aggregate: true, include: { documents: true, summaries: true } });
    expect(plain).toHaveLength(3);
    expect(results).toHaveLength(4);
    const [best, joined] = results as [Result, Result];
    expect(joined).toMatchObject({ isAggregated: true, id: best.id, similarity: best.similarity });
    expect(joined.memory).toBe([TEXTS[1], TEXTS[2], TEXTS[0]].map(([text]) => text).join('\n'));
    expect(joined).not.toHaveProperty('chunk');
    expect(joined.documents?.map(({ id }) => id).sort()).toEqual(ids.slice(0, 3).sort());
    expect(joined.documents?.every((document) => 'summary' in document)).toBe(true);
    const hits = results.filter(({ isAggregated }) => !isAggregated);
    expect(hits.map(({ id, similarity }) => [id, similarity])).toEqual(
      plain.map(({ id, similarity }) => [id, similarity]),
    );
    expect(hits.every((hit) => !('isAggregated' in hit))).toBe(true);
  });

  test('does not count against the limit, joins chunks and what `*` lists, and has no explanation', async () => {
    const limited = await search('harbour', { q: 'ferry', aggregate: true, limit: 2 });
    expect(limited.map(({ isAggregated = false }) => isAggregated)).toEqual([false, true, false]);
    const chunks = await search('harbour', { q: 'ferry', aggregate: true, searchMode: 'documents', explain: true });
    expect(chunks[1]).toMatchObject({ isAggregated: true, chunk: expect.stringContaining('\n'), explain: null });
    const listed = await eventually(async () => {
      const all = await search('harbour', { q: '*', aggregate: true });
      return all.some(({ isAggregated }) => isAggregated) ? all : null;
    });
    expect(listed.length).toBeGreaterThan(2);
  });

  test('adds nothing to one result or to none', async () => {
    expect(await search('harbour', { q: 'quinces', aggregate: true })).toHaveLength(1);
    expect(await search('harbour', { q: 'zyxwv', aggregate: true })).toEqual([]);
    expect(await search('no such tag', { q: 'ferry', aggregate: true })).toEqual([]);
  });
});

describe('include.relatedMemories', () => {
  const PARAGRAPHS = [
    'The signal box at Quarrendon controls eleven levers.',
    'A heron nests on the gasometer behind the yard.',
    'Platform three floods whenever the brook rises.',
  ];
  beforeAll(async () => {
    await add('station', PARAGRAPHS.join('\n\n'), { metadata: { line: 'north' } });
  });
  const contexts = async (containerTag: string, searchMode = 'memories') => {
    const results = await search(containerTag, { q: 'heron', searchMode, include: { relatedMemories: true } });
    return new Map(results.map(({ memory, chunk, context }) => [memory ?? chunk, context]));
  };
  const context = (related: readonly (string | undefined)[]) => ({
    ...{ parents: [], children: [] },
    related: related.map((memory) => ({
      ...{ relation: 'extends', memory, metadata: { line: 'north' }, updatedAt: expect.any(String) },
    })),
  });

  test('adds the memories before and after each memory in its document', async () => {
    // The neighbours of a passage are found by its words too.
    const [first, second, third] = PARAGRAPHS;
    expect(await contexts('station')).toEqual(
      new Map([
        [first, context([second])],
        [second, context([first, third])],
        [third, context([second])],
      ]),
    );
  });

  test('has empty arrays where a result has no relatives, and is absent unless it is wanted', async () => {
    const empty = { parents: [], children: [], related: [] };
    expect([...(await contexts('station', 'documents')).values()]).toEqual([empty]);
    await add('alone', 'The heron waits.');
    expect(await contexts('alone')).toEqual(new Map([['The heron waits.', empty]]));
    expect((await search('station', { q: 'heron' }))[0]).not.toHaveProperty('context');
  });
});

describe('include.chunks', () => {
  test('adds to each result the chunks of its document that were found', async () => {
    const pump = await add('pumps', 'The pump of the north well is painted green.');
    const chapel = await add('pumps', 'The pump near the chapel is broken.');
    const results = await search('pumps', { q: 'pump', include: { chunks: true, documents: true } });
    expect(new Set(results.map(({ documents }) => documents?.[0]?.id))).toEqual(new Set([pump, chapel]));
    for (const { memory, chunk, documents, chunks, similarity } of results) {
      expect(chunks).toEqual([
        { content: memory ?? chunk, position: 0, documentId: documents?.[0]?.id, score: expect.any(Number) },
      ]);
      expect(chunks?.[0]?.score).toBeCloseTo(similarity, 1);
    }
    const [, joined] = await search('pumps', { q: 'pump', aggregate: true, include: { chunks: true } });
    expect(joined?.chunks?.map(({ documentId }) => documentId).sort()).toEqual([pump, chapel].sort());
    const listed = await eventually(
      async () => (await search('pumps', { q: '*', include: { chunks: true } }))[0] ?? null,
    );
    expect(listed.chunks).toEqual([]);
    expect((await search('pumps', { q: 'pump', searchMode: 'hybrid' }))[0]).not.toHaveProperty('chunks');
  });
});

test('`*` lists the newest of what the mode searches', async () => {
  const BEES = 'Mara keeps four hives of bees in the orchard behind the old mill near the river.';
  const HONEY = 'The honey is sold every Saturday at the market in the square beside the church.';
  await add('mill', `${BEES}\n\n${HONEY}`);
  await add('mill', 'The mill wheel turns.');
  await add('mill', 'The miller is asleep.', { taskType: 'superrag' });
  const listed = async (searchMode: string, limit = 10) =>
    (await search('mill', { q: '*', searchMode, limit })).map(({ memory, chunk }) =>
      memory === undefined ? { chunk } : { memory },
    );
  const chunks = ['The miller is asleep.', 'The mill wheel turns.', `${BEES}\n\n${HONEY}`].map((chunk) => ({ chunk }));
  expect(await listed('documents')).toEqual(chunks);
  expect(await listed('documents', 2)).toEqual(chunks.slice(0, 2));
  const memories = ['The mill wheel turns.', HONEY, BEES].map((memory) => ({ memory }));
  expect(await listed('memories')).toEqual(memories);
  expect(await listed('hybrid')).toEqual([chunks[0], ...memories, chunks[2]]);
  expect(await listed('hybrid', 3)).toEqual([chunks[0], ...memories.slice(0, 2)]);
});

const EVERYTHING = {
  ...{ aggregate: true, searchMode: 'hybrid', explain: true },
  include: { documents: true, summaries: true, relatedMemories: true, chunks: true },
};

describe('with every option', () => {
  test('nothing comes from other tags, from what a filter or a path leaves out, or from a deleted document', async () => {
    const ferry = (name: string, fields: object = {}) =>
      add('quay', `The ferry ${name} is at the quay.\n\nIts captain, ${name}-captain, sleeps.`, {
        ...{ metadata: { year: 2026 }, filepath: '/quay/ferry.txt' },
        ...fields,
      });
    const kept = [await ferry('Aurora'), await ferry('Borealis')];
    await ferry('Cassiopeia', { containerTag: 'other quay' });
    await ferry('Draco', { metadata: { year: 1999 } });
    await ferry('Eridanus', { filepath: '/other/ferry.txt' });
    const deleted = await ferry('Fornax');
    expect((await mneme.request('DELETE', `/v3/documents/${deleted}`)).status).toBe(204);
    const filters = { AND: [{ key: 'year', value: 2026, filterType: 'numeric', numericOperator: '=' }] };
    for (const more of [{}, { rerank: true }, { rewriteQuery: true }, { q: '*' }]) {
      const query = { q: 'ferry captain quay', filters, filepath: '/quay/', limit: 100, ...EVERYTHING, ...more };
      const results = await search('quay', query);
      expect(results.some(({ isAggregated }) => isAggregated)).toBe(true);
      expect(JSON.stringify(results)).toMatch(/Aurora[\s\S]*Borealis|Borealis[\s\S]*Aurora/);
      expect(JSON.stringify(results)).not.toMatch(/Cassiopeia|Draco|Eridanus|Fornax/);
      const sources = results.flatMap(({ documents = [] }) => documents.map(({ id }) => id));
      expect(new Set(sources)).toEqual(new Set(kept));
      expect(results.every(({ context }) => Object.keys(context ?? {}).join() === 'parents,children,related')).toBe(
        true,
      );
      expect(results.every(({ chunks }) => Array.isArray(chunks))).toBe(true);
    }
  });

  test('a threshold holds for joined results and for chunks', async () => {
    const exact = 'Where does the tug Meridian moor?';
    for (const text of ['The tug Meridian moors at pier nine.', 'The tug is old.', 'A pier of nine planks.']) {
      await add('tugs', text);
    }
    const all = await search('tugs', { q: exact, ...EVERYTHING });
    const threshold = (all[0]?.similarity ?? 0) - 0.01;
    const scores = ({ similarity, chunks = [] }: Result) => [similarity, ...chunks.map(({ score }) => score)];
    expect(all.flatMap(scores).some((score) => score < threshold)).toBe(true);
    const results = await search('tugs', { q: exact, threshold, ...EVERYTHING });
    expect(results.length).toBeGreaterThan(0);
    expect(results.flatMap(scores).every((score) => score >= threshold)).toBe(true);
  });
});

test('results with identical text are there once', async () => {
  const lit = 'The lamp is lit at dusk.';
  const out = 'The lamp is out.';
  for (const customId of ['first', 'second', 'third']) await add('twice', lit, { customId });
  await add('twice', out);
  for (const searchMode of ['memories', 'documents', 'hybrid']) {
    const results = await search('twice', { q: 'lamp', limit: 2, searchMode });
    expect(results.map(({ memory, chunk }) => memory ?? chunk).sort()).toEqual([lit, out]);
  }
});

test('`categoriesFilter` is accepted and ignored', async () => {
  await add('categories', 'The weir is low.');
  const found = async (fields: object) => {
    const query = { q: 'weir', containerTags: ['categories'], ...fields };
    const { body } = await mneme.post<{ results: { id: string; score: number }[] }>('/v3/search', query);
    return body.results.map(({ id, score }) => [id, score]);
  };
  expect(await found({})).toHaveLength(1);
  expect(await found({ categoriesFilter: ['none'] })).toEqual(await found({}));
});
