import { detectKind, extractDocument } from '../index.ts';
import { lines, pdfOf } from '../testing/pdf.ts';

async function read(body: Uint8Array) {
  expect(await detectKind({ bytes: body, fileName: 'notes.txt', contentType: 'text/plain' })).toEqual({
    ...{ kind: 'pdf', type: 'pdf' },
  });
  return extractDocument({ body, kind: 'pdf', fileName: null, documentDate: null });
}

test('two columns are read one after the other, below what reaches across both', async () => {
  const column = (side: string) => Array.from({ length: 12 }, (_, i) => `${side} column line ${i} goes on here`);
  const across = 'This line reaches across the whole page and both of its columns, so it comes first.';
  const { text } = await read(
    pdfOf([
      [
        { text: 'The report of the weir', x: 60, y: 800, size: 20 },
        ...lines([across], { y: 770 }),
        ...lines(column('left'), { y: 740 }),
        ...lines(column('right'), { x: 320, y: 740 }),
      ],
    ]),
  );
  expect(text).toBe(
    ['# The report of the weir', across, column('left').join('\n'), column('right').join('\n')].join('\n\n'),
  );
});

test('a row of a table is a line, and a word that is divided at the end of a line is whole', async () => {
  const { text } = await read(
    pdfOf([
      [
        ...lines(['Name', 'Rope', 'Bolt']),
        ...lines(['Euro', '12', '7'], { x: 200 }),
        ...lines(['Stock', 'many', 'few'], { x: 350 }),
        ...lines(['The paragraph is divi-', 'ded here.'], { y: 600 }),
        ...lines(['Another one.'], { y: 550 }),
      ],
    ]),
  );
  expect(text).toBe(
    'Name | Euro | Stock\nRope | 12 | many\nBolt | 7 | few\n\nThe paragraph is divided here.\n\nAnother one.',
  );
});

test('every chunk names its page; the file says title, author and date', async () => {
  const page = (i: number) => lines([`The page of the number ${i} says that the goat ate the rope.`]);
  const info = { Title: 'Goats', Author: 'Ann Berg', CreationDate: "D:20240501120000+02'00'" };
  const { text, chunks, memories, ...found } = await read(pdfOf([page(1), [], page(3)], info));
  const places = chunks.map(({ start, end, location }) => [text.slice(start, end).slice(0, 25), location]);
  expect(places).toEqual([
    ['The page of the number 1 ', { page: 1 }],
    ['The page of the number 3 ', { page: 3 }],
  ]);
  expect(memories.map(({ location }) => location?.page)).toEqual([1, 3]);
  expect(found).toMatchObject({ title: 'Goats', author: 'Ann Berg', date: '2024-05-01T10:00:00.000Z', language: 'en' });
});

test('a PDF of pictures says that it has no text', async () => {
  const source = { body: pdfOf([[], []]), kind: 'pdf', fileName: null, documentDate: null };
  await expect(extractDocument(source)).rejects.toMatchObject({
    code: 'extraction_failed',
    message: expect.stringContaining('optical character recognition'),
  });
});
