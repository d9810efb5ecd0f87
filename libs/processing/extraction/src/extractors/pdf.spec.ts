import sharp from 'sharp';
import { detectKind, extractDocument, NO_RESOURCES } from '../index.ts';
import { KnownPictures } from '../ocr/picture-texts.ts';
import { lines, pdfOf } from '../testing/pdf.ts';
import { pdf } from './pdf.extractor.ts';

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

test('a word that is divided at the end of a column is whole', async () => {
  const column = (side: string) => Array.from({ length: 5 }, (_, i) => `${side} column line ${i} goes on here`);
  const { text } = await read(
    pdfOf([
      [
        ...lines([...column('left'), 'the keeper of the light-']),
        ...lines(['house writes it down', ...column('right')], { x: 320 }),
      ],
    ]),
  );
  expect(text).toContain('the keeper of the lighthouse writes it down');
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

const blank = { create: { width: 595, height: 842, channels: 3, background: '#fff' } } as const;
const scan = async (runs?: ReturnType<typeof lines>) => {
  const page = sharp(blank).composite([
    { input: { create: { width: 40, height: 6, channels: 3, background: '#000' } }, left: 100, top: 100 },
  ]);
  return { jpeg: await page.greyscale().jpeg().toBuffer(), width: 595, height: 842, ...(runs && { runs }) };
};

test('pages without text are read as pictures, also below a stamp, and keep their numbers', async () => {
  const stamp = lines(['Page 3 of 4']);
  const chapter = lines(['A chapter']);
  const body = pdfOf([lines([`${'A page of text. '.repeat(8)}`]), await scan(), await scan(stamp), chapter]);
  const context = (texts?: Readonly<Record<string, string>>) => {
    const pictures = new KnownPictures(texts);
    return { path: '', resources: NO_RESOURCES, pictures };
  };
  const first = context();
  await pdf.toText(body, first);
  expect(first.pictures.missing).toEqual(['2', '3']);
  const known = context({ 2: 'The goat.\n\nThe rope.', 3: 'The weir of Page 3 of 4' });
  const { text, sections } = await pdf.toText(body, known);
  expect(sections?.map(([start, place]) => [text.slice(start).split('\n')[0]?.slice(0, 8), place.page])).toEqual([
    ['A page o', 1],
    ['The goat', 2],
    ['The weir', 3],
    ['A chapte', 4],
  ]);
});

test('a page is drawn at 200 dpi, with its picture and its letters', async () => {
  const body = pdfOf([[{ text: 'HHHHHHHH', x: 60, y: 60, size: 40 }], await scan()]);
  const drawn = [];
  for await (const picture of pdf.pictures?.(body, ['1', '2']) ?? []) drawn.push(picture);
  const [letters, scanned] = drawn;
  expect(letters).toMatchObject({ width: 1_653, height: 2_339 });
  const ink = letters?.data.slice(1_653 * 2_000).filter((grey) => grey < 100).length ?? 0;
  expect(ink).toBeGreaterThan(5_000);
  expect(scanned?.data[1_653 * 286 + 330]).toBeLessThan(20);
  expect(scanned?.data[1_653 * 2_000 + 1_500]).toBeGreaterThan(235);
});

test('a PDF without any text says so', async () => {
  const source = { body: pdfOf([[], []]), kind: 'pdf', fileName: null, documentDate: null };
  await expect(extractDocument(source)).rejects.toMatchObject({
    code: 'extraction_failed',
    message: expect.stringContaining('No text was found'),
  });
});
