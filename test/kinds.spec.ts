import { sheetRows, xlsxOf } from '../libs/extraction/src/testing/office.ts';
import { Mneme } from './support/mneme.ts';

/** One document of each kind that is read from a file, over HTTP: from the upload to the place of a passage. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Hit {
  readonly memory?: string;
  readonly location?: object;
}

async function upload(name: string, content: string | Uint8Array<ArrayBuffer>, tag: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('containerTags', tag);
  return (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
}

/** The best memory for a question. */
async function best(q: string, containerTag: string): Promise<Hit> {
  const { results } = (await mneme.post<{ results: Hit[] }>('/v4/search', { q, containerTag })).body;
  return results[0] ?? {};
}

const sentence = 'The keeper writes down the depth of the water in the morning and the evening. ';

test('CSV: a question on one row finds that row', async () => {
  const rows = Array.from(
    { length: 300 },
    (_, i) => `"Weaver ${i}, Ann";${1_000 + i};${i === 137 ? 'Tromsø' : 'Oslo'}`,
  );
  const id = await upload('staff.csv', new TextEncoder().encode(`name;badge;city\n${rows.join('\n')}\n`), 'csv');
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', title: 'staff.csv', type: 'text' });
  const row = { memory: '- name: Weaver 137, Ann; badge: 1137; city: Tromsø', location: { row: 139 } };
  expect(await best('Which badge has somebody in Tromsø?', 'csv')).toMatchObject(row);
});

test('Markdown: front matter gives title, author, language and date; a passage names its heading', async () => {
  const matter = '---\ntitle: "Notes on the weir"\nauthor: Ann Berg\ndate: 2024-05-01\nlang: en-GB\n---\n';
  const text = `# The weir\n\n${sentence.repeat(12)}\n\n## Repairs\n\nThe sluice got a new oak beam.\n`;
  const id = await upload('weir.md', `${matter}${text}`, 'md');
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'done', title: 'Notes on the weir', author: 'Ann Berg', language: 'en', canonicalUrl: null },
    ...{ metadata: null, content: text },
  });
  const repairs = { memory: expect.stringContaining('a new oak beam'), location: { heading: 'Repairs' } };
  expect(await best('What did the sluice get?', 'md')).toMatchObject(repairs);
  const { chunks } = (await mneme.get<{ chunks: Hit[] }>(`/v3/documents/${id}/chunks`)).body;
  expect(chunks.map(({ location }) => location)).toContainEqual({ heading: 'The weir' });
});

test('XLSX: a question on one row finds its sheet and row', async () => {
  const staff = [['name', 'city'], ...Array.from({ length: 40 }, (_, i) => [`Weaver ${i}`, 'Oslo'])];
  const prices = [
    ['item', 'euro'],
    ['Rope', 12.5],
    ['Anchor chain', 480],
  ];
  const book = xlsxOf({ Staff: sheetRows(staff), Prices: sheetRows(prices) });
  const id = await upload('book.xlsx', book, 'xlsx');
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', title: 'book.xlsx', author: 'Ann Berg' });
  const row = { memory: '- item: Anchor chain; euro: 480', location: { sheet: 'Prices', row: 3 } };
  expect(await best('What does the anchor chain cost?', 'xlsx')).toMatchObject(row);
});

test('a file that cannot be read says why and what to do', async () => {
  const id = await upload('broken.xlsx', xlsxOf({ A: sheetRows([['a']]) }).subarray(0, 900), 'broken');
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'failed', title: 'broken.xlsx' },
    processingError: { code: 'extraction_failed', message: expect.stringContaining('save it again') },
  });
});
