import { detectKind, extractDocument } from '../index.ts';
import { docOf } from '../testing/doc.ts';
import { odtOf, pptxOf, shape } from '../testing/office.ts';

/** Formats that become text by little work, found by their content under a wrong name. */

async function read(kind: string, body: Uint8Array) {
  const upload = { bytes: body, fileName: 'anything.txt', contentType: 'text/plain' };
  expect(await detectKind(upload)).toEqual({ kind, type: 'text' });
  return extractDocument({ body, kind, fileName: 'anything.txt', documentDate: null });
}

test('DOC: paragraphs; one with a password is refused', async () => {
  const { text } = await read('doc', docOf('The goat ate the rope.\rIt cost 5 € on Monday.\r'));
  expect(text.trim()).toBe('The goat ate the rope.\n\nIt cost 5 € on Monday.');
  await expect(read('doc', docOf('secret', 0x100))).rejects.toMatchObject({ code: 'encrypted' });
});

test('DOC: a document of Word 95 is refused as what it is, not as a damaged one', async () => {
  const bytes = docOf('The goat ate the rope.');
  bytes[bytes.indexOf(Buffer.from('eca5', 'hex'))] = 0xdc;
  await expect(read('doc', bytes)).rejects.toMatchObject({
    code: 'unsupported_type',
    message: expect.stringContaining('(Word 95 or older)'),
  });
});

test('ODT: headings, lists, tables; deleted text is left out', async () => {
  const body =
    '<text:tracked-changes><text:p>secret</text:p></text:tracked-changes><text:h text:outline-level="2">The weir</text:h>' +
    '<text:p>One<text:s text:c="2"/>beam <text:span>of oak</text:span>.</text:p>' +
    '<text:list><text:list-item><text:p>a bolt</text:p></text:list-item></text:list>' +
    '<table:table><table:table-row><table:table-cell><text:p>item</text:p></table:table-cell><table:table-cell><text:p>euro</text:p>' +
    '</table:table-cell></table:table-row></table:table>';
  const { text, chunks, author, date } = await read('odt', odtOf(body));
  expect(text).toBe('## The weir\n\nOne  beam of oak.\n\n- a bolt\n\nitem | euro');
  expect(chunks[0]?.location).toEqual({ heading: 'The weir' });
  expect({ author, date: date?.slice(0, 10) }).toEqual({ author: 'Ann Berg', date: '2024-05-01' });
  for (const name of ['META-INF/manifest.xml', 'META-INF\\manifest.xml']) {
    const manifest = { [name]: '<m><manifest:encryption-data/></m>' };
    await expect(read('odt', odtOf(body, manifest))).rejects.toMatchObject({ code: 'encrypted' });
  }
});

test('ODT: words that a style, one that it is based on, or a section hides are left out; notes keep their numbers', async () => {
  const style = (name: string, parent: string, display: string) =>
    `<style:style style:name="${name}" style:parent-style-name="${parent}"><style:text-properties text:display="${display}"/></style:style>`;
  const body =
    `<text:p>The weir<text:span text:style-name="T1"> of <text:span>Ann</text:span></text:span> holds<text:note>` +
    '<text:note-citation>1</text:note-citation><text:note-body><text:p>Since May.</text:p></text:note-body></text:note>.</text:p>' +
    '<text:p text:style-name="P1">secret</text:p><text:p text:style-name="P2">One beam.</text:p>' +
    '<text:section text:display="none"><text:p>secret</text:p></text:section><text:p text:style-name="T2">Two beams.</text:p>';
  const styles = {
    'styles.xml': `<office:styles>${style('Secret', '', 'none')}<style:style style:name="T1" style:parent-style-name="Secret"/></office:styles>`,
  };
  const automatic = `${style('P1', 'Standard', 'none')}${style('P2', 'Secret', 'true')}`;
  const { text } = await read('odt', odtOf(`${automatic}${body}`, styles));
  expect(text).toBe('Since May.\n\nThe weir holds[1].\n\nOne beam.\n\nTwo beams.');
});

test('PPTX: a slide is a page, its title a heading; notes and tables are read', async () => {
  const table =
    '<a:tbl><a:tr><a:tc><a:p><a:r><a:t>item</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>euro</a:t></a:r></a:p></a:tc></a:tr></a:tbl>';
  const slides = [
    `${shape('The plan', 'title')}${shape('One\nTwo')}${shape('1', 'sldNum')}`,
    `${shape('Costs', 'ctrTitle')}${table}`,
  ];
  const { text, chunks } = await read('pptx', pptxOf(slides, { 0: 'Speak slowly.' }));
  expect(text).toBe('# The plan\n\nOne\nTwo\n\nSpeak slowly.\n\n# Costs\n\nitem | euro');
  expect(chunks.map(({ location }) => location)).toEqual([
    { page: 1, heading: 'The plan' },
    { page: 2, heading: 'Costs' },
  ]);
});

test('RTF: characters of code pages and of Unicode; fonts, pictures and comments are left out', async () => {
  const rtf =
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\info{\\title A title}{\\author Ann Berg}}\\f0 Caf\\'e9 \\u8364?5 \\{x\\}\\par " +
    'Second {\\b bold} line\\par{\\*\\generator x}{\\pict 00ff}\\trowd a\\cell b\\cell\\row}';
  const { text, author } = await read('rtf', Buffer.from(rtf, 'latin1'));
  expect(text.trim()).toBe('Café €5 {x}\n\nSecond bold line\n\na | b');
  expect(author).toBe('Ann Berg');
});

test('EML: the subject is the title; the text, or else the page, is read with who wrote it and when', async () => {
  const mail = [
    'Received: from somewhere',
    'From: Ann Berg <ann@example.org>',
    'To: Bo <bo@example.org>',
    'Subject: =?utf-8?q?The_caf=C3=A9?=',
    'Date: Wed, 01 May 2024 10:00:00 +0200',
    'Message-ID: <1@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
  ];
  const { text, title, author, date } = await read(
    'eml',
    Buffer.from(`${mail.join('\r\n')}\r\n\r\n<p>Hello <b>Bo</b></p>`),
  );
  expect(text).toBe('# The café\n\nFrom: Ann Berg\nTo: Bo\nDate: 2024-05-01T08:00:00.000Z\n\nHello Bo');
  expect({ title, author, date }).toEqual({ title: 'The café', author: 'Ann Berg', date: '2024-05-01T08:00:00.000Z' });
});
