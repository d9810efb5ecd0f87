import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { detectKind, extractDocument } from '../index.ts';
import { docxBody, docxOf, odsOf, odtOf, pptxOf, shape, sheetRows, xlsxOf } from '../testing/office.ts';
import { xlsOf } from '../testing/xls.ts';

/** Containers whose files have other names and another order than those that most programs write. */

async function textOf(kind: string, bytes: Uint8Array): Promise<string> {
  const found = await detectKind({ bytes, fileName: 'file', contentType: 'application/octet-stream' });
  expect(found).toEqual({ kind, type: 'text' });
  return (await extractDocument({ body: bytes, kind, fileName: 'file', documentDate: null })).text;
}

/** Packs the files again, in the opposite order, with other names, which the files name, too. */
function packedAgain(bytes: Uint8Array, renamed: (name: string) => string): Uint8Array {
  const files = Object.entries(unzipSync(bytes)).reverse();
  return zipSync(
    Object.fromEntries(files.map(([name, content]) => [renamed(name), strToU8(renamed(strFromU8(content)))] as const)),
  );
}

const word = docxOf(docxBody(['# The weir', 'One beam of oak.']));
const slides = pptxOf([shape('The plan', 'title')]);
const workbook = xlsxOf({ Costs: sheetRows([['item'], ['rope']]) });

test.each([
  ['a Word document whose main part is document2.xml', 'docx', word, 'document.xml', 'document2.xml'],
  ['a presentation whose main part is in another folder', 'pptx', slides, 'ppt/', 'show/'],
  ['a workbook whose main part is in another folder', 'xlsx', workbook, 'xl/', 'book/'],
  ['a workbook whose parts are in no folder', 'xlsx', workbook, 'xl/', ''],
] as const)('reads %s', async (_name, kind, bytes, name, other) => {
  const text = await textOf(kind, bytes);
  const again = packedAgain(bytes, (words) => words.replaceAll(name, other));
  expect(text).not.toBe('');
  expect(await textOf(kind, again)).toBe(text);
});

test('reads texts and formats of a workbook whose parts are in another folder', async () => {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const targets = { worksheet: 'worksheets/sheet1.xml', sharedStrings: 'sharedStrings.xml', styles: 'styles.xml' };
  const relationships = Object.entries(targets).map(
    ([name, target], i) => `<Relationship Id="rId${i + 1}" Type="${type}/${name}" Target="${target}"/>`,
  );
  const cells = '<c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>0.5</v></c>';
  const bytes = xlsxOf(
    { Costs: `<row r="1">${cells}</row>` },
    {
      'xl/_rels/workbook.xml.rels': `<Relationships>${relationships.join('')}</Relationships>`,
      'xl/sharedStrings.xml': '<sst><si><t>a rope of hemp</t></si></sst>',
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs></styleSheet>',
    },
  );
  const again = packedAgain(bytes, (words) => words.replaceAll('xl/', 'book/'));
  expect(await textOf('xlsx', again)).toBe('# Costs\n\n- a rope of hemp; 50%');
});

test('reads parts whose names are written in other letters than where they are named', async () => {
  const again = packedAgain(workbook, (words) =>
    words.replace(/^xl\/worksheets\/sheet1\.xml$/, 'xl/Worksheets/Sheet1.xml'),
  );
  expect(await textOf('xlsx', again)).toBe('# Costs\n\n- item: rope');
});

test.each([
  ['odt', odtOf('<text:p>One beam of oak.</text:p>'), 'One beam of oak.'],
  [
    'ods',
    odsOf(
      '<table:table table:name="Costs"><table:table-row><table:table-cell><text:p>rope</text:p></table:table-cell></table:table-row></table:table>',
    ),
    '# Costs\n\n- rope',
  ],
] as const)('reads an %s whose media type is packed and not its first file', async (kind, bytes, text) => {
  expect(
    await textOf(
      kind,
      packedAgain(bytes, (words) => words),
    ),
  ).toBe(text);
});

test.each(['biff8', 'biff5'] as const)(
  'reads an older workbook (%s) whose stream is named in capitals',
  async (form) => {
    const bytes = xlsOf({ Costs: [['rope', 12]] }, form);
    const name = Buffer.from(form === 'biff8' ? 'Workbook\0' : 'Book\0', 'utf16le');
    bytes.set(Buffer.from(name.toString('utf16le').toUpperCase(), 'utf16le'), bytes.lastIndexOf(name));
    expect(await textOf('xls', bytes)).toBe('# Costs\n\n- rope; 12');
  },
);
