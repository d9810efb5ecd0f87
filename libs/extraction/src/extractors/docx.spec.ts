import { detectKind, extractDocument } from '../index.ts';
import { docxBody, docxOf } from '../testing/office.ts';

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
