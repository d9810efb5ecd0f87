import { detectKind, extractDocument, NO_RESOURCES } from '../index.ts';
import { KnownPictures } from '../ocr/picture-texts.ts';
import { docxBody, docxOf, docxPictures } from '../testing/office.ts';
import { pageOf } from '../testing/pictures.ts';
import { docx } from './docx.extractor.ts';

async function read(body: Uint8Array) {
  const upload = { bytes: body, fileName: 'report.pdf', contentType: 'application/pdf' };
  expect(await detectKind(upload)).toEqual({ kind: 'docx', type: 'text' });
  return extractDocument({ body, kind: 'docx', fileName: null, documentDate: null });
}

test('headings, paragraphs and tables are read, with title, author and date', async () => {
  const table = [
    ['item', 'euro'],
    ['Rope', '12'],
  ];
  const body = docxBody([
    '# The weir',
    'The sluice got an oak beam & a bolt.',
    table,
    '# Costs',
    'All was paid in May.',
  ]);
  const { text, chunks, ...found } = await read(docxOf(body));
  expect(text.replace(/ +$/gm, '')).toBe(
    '# The weir\n\nThe sluice got an oak beam & a bolt.\n\n| item | euro\n| Rope | 12\n\n# Costs\n\nAll was paid in May.',
  );
  expect(chunks.map(({ location }) => location)).toEqual([{ heading: 'The weir' }, { heading: 'Costs' }]);
  expect(found).toMatchObject({ title: 'The yearly report', author: 'Ann Berg', date: '2024-05-01T10:00:00.000Z' });
});

test('deleted text is left out, and a picture is not read', async () => {
  const deleted = '<w:p><w:del><w:r><w:delText>secret</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>';
  const picture =
    '<w:p><w:r><w:drawing xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:blip r:embed="rId9" ' +
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></w:drawing></w:r></w:p>';
  const { text } = await read(docxOf(`${deleted}${picture}`));
  expect(text.trim()).toBe('kept');
});

test('pictures of pages are read in their places; small and damaged ones are left out', async () => {
  const page = await pageOf(['a page'], { width: 900, height: 1_200 }).png().toBuffer();
  const small = await pageOf(['a sign'], { width: 300, height: 200 }).png().toBuffer();
  const { body, files } = docxPictures([page, small, page.subarray(0, 900)]);
  const file = docxOf(`${docxBody(['before'])}${body}${docxBody(['after'])}`, files);
  const context = (texts?: Readonly<Record<string, string>>) => {
    const pictures = new KnownPictures(texts);
    return { path: '', resources: NO_RESOURCES, pictures };
  };
  const first = context();
  await docx.toText(file, first);
  expect(first.pictures.missing).toEqual(['word/media/image1.png', 'word/media/image3.png']);
  const found = [];
  for await (const picture of docx.pictures?.(file, first.pictures.missing) ?? []) found.push(picture?.height ?? null);
  expect(found).toEqual([3_000, null]);
  const known = context({ 'word/media/image1.png': 'Rope < 12 & Co.\nBolt\n\nThe end', 'word/media/image3.png': '' });
  expect((await docx.toText(file, known)).text.trim().split(/\n\n+/)).toEqual([
    'before',
    'Rope < 12 & Co.\nBolt',
    'The end',
    'after',
  ]);
});
