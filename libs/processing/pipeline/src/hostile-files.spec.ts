import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { DocumentTexts, type FileRef, type Live } from '#features/documents';
import { Pool } from '#platform/child-jobs';
import { DiskBlobStore } from '#ports/blobs';
import { NO_RESOURCES } from '#processing/extraction';
import {
  docxBody,
  docxOf,
  odsOf,
  odtOf,
  sheetRows,
  withContent,
  xlsxOf,
  zipped,
} from '../../extraction/src/testing/office.ts';
import { entryAt, outlookOf } from '../../extraction/src/testing/outlook.ts';
import { assembled, lines, pdfOf } from '../../extraction/src/testing/pdf.ts';
import { xlsOf } from '../../extraction/src/testing/xls.ts';
import { TextJobs } from './text-jobs.ts';

/** Files that are made to harm whoever reads them, read as uploads are: in child processes, one after the other. */

const MIB = 1024 * 1024;
const WORDS = docxBody(['The goat ate the rope.']);
const sheet = (xml: string) => xlsxOf({ Sheet1: xml });

/** A file of a container that says another size than it has. */
function withSize(container: Uint8Array, name: string, size: number): Uint8Array {
  const bytes = Buffer.from(container);
  const entry = bytes.lastIndexOf(name) - 46;
  bytes.writeUInt32LE(size, entry + 24);
  return bytes;
}

/** A container with a file that unpacks to so many bytes of spaces, and says that it is short. */
const bomb = (container: Uint8Array, name: string, size: number): Uint8Array =>
  withContent(container, name, Buffer.alloc(size, 32));

function encryptedFlag(container: Uint8Array, name: string): Uint8Array {
  const bytes = Buffer.from(container);
  const entry = bytes.lastIndexOf(name) - 46;
  bytes.writeUInt16LE(1, entry + 8);
  return bytes;
}

const cfb = (stream: string) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1_024),
    Buffer.from(`${stream}\0`, 'utf16le'),
    Buffer.alloc(4_096),
  ]);

const deep = (count: number, open: string, close: string) => open.repeat(count) + close.repeat(count);
const laughs =
  '<!DOCTYPE x [<!ENTITY a "ha ha ha ha ha ha ha ha">' +
  Array.from({ length: 12 }, (_, i) => `<!ENTITY ${'bcdefghijklm'[i]} "${`&${'abcdefghijklm'[i]};`.repeat(10)}">`).join(
    '',
  ) +
  ']>';
const pdfObjects = (page: string, tree = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>', others: readonly string[] = []) =>
  assembled(['<< /Type /Catalog /Pages 2 0 R >>', tree, page, ...others], '/Root 1 0 R');
const flateBomb = deflateSync(Buffer.alloc(200 * MIB, 32), { level: 1 }).toString('latin1');
const nestedMail = (levels: number): string =>
  Array.from({ length: levels }, (_, i) => `--b${i}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`).join(
    '',
  );
const MAIL = 'Received: from a\r\nFrom: ann@example.org\r\nSubject: goats\r\nMessage-ID: <1@x>\r\n';

/** A PNG that says its size, in pixels of one bit, and is white as far as its data goes. */
function png(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const row = Buffer.alloc(1 + Math.ceil(width / 8), 0xff).fill(0, 0, 1);
  const pixels = deflateSync(Buffer.alloc(rows * row.length, row), { level: 1 });
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const mark = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([mark, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** A PDF without text whose page is drawn by these operators, packed. */
function drawing(operators: string, box = '0 0 595 842'): Buffer {
  const stream = deflateSync(Buffer.from(operators, 'latin1'), { level: 1 }).toString('latin1');
  return pdfObjects(`<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R >>`, undefined, [
    `<< /Filter /FlateDecode /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
}

/** A PDF whose pages show nothing. */
function manyPages(count: number): Buffer {
  const kids = Array.from({ length: count }, () => '3 0 R').join(' ');
  return pdfObjects(
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`,
  );
}

/** A page of one pixel, which says that it is followed by itself. */
function circularTiff(): Buffer {
  const entries = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, 1],
    [279, 1],
  ] as const;
  const bytes = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(entries.length, 8);
  for (const [i, [tag, value]] of entries.entries()) {
    const at = 10 + i * 12;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(4, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(8, 10 + entries.length * 12);
  return bytes;
}

const TEXT = 'read';
const DAMAGED = 'extraction_failed';
const TOO_LARGE = 'extraction_too_large';
const ENCRYPTED = 'encrypted';

/** Several outcomes: which one depends on how far the reader gets. Each of them is safe. */
const FILES: readonly (readonly [
  what: string,
  name: string,
  make: () => string | Uint8Array,
  ...expected: string[],
])[] = [
  ['a container cut off', 'a.docx', () => docxOf(WORDS).subarray(0, 700), DAMAGED],
  [
    'a container with another one behind it',
    'a.docx',
    () => Buffer.concat([docxOf(WORDS), Buffer.alloc(200_000, 7)]),
    DAMAGED,
    TEXT,
  ],
  [
    'a list of files that points outside',
    'a.docx',
    () => Buffer.concat([docxOf(WORDS).subarray(0, -6), Buffer.alloc(6, 0xff)]),
    DAMAGED,
  ],
  [
    'a file that says to unpack to 4 GiB',
    'a.docx',
    () => withSize(docxOf(WORDS), 'word/document.xml', 0xffff_fff0),
    TOO_LARGE,
  ],
  [
    'a file that unpacks to 300 MiB and says 100 bytes',
    'a.xlsx',
    () => bomb(sheet(''), 'xl/worksheets/sheet1.xml', 300 * MIB),
    TOO_LARGE,
  ],
  ['an encrypted file in a container', 'a.docx', () => encryptedFlag(docxOf(WORDS), 'word/document.xml'), ENCRYPTED],
  ['an office file with a password', 'a.docx', () => cfb('EncryptedPackage'), ENCRYPTED],
  [
    'entities that multiply',
    'a.docx',
    () => docxOf(docxBody(['&m;']).replace('&amp;', '&'), {}, laughs),
    TEXT,
    DAMAGED,
  ],
  [
    'an entity that names a file',
    'a.docx',
    () =>
      docxOf(
        `${WORDS}<w:p><w:r><w:t>&f;</w:t></w:r></w:p>`,
        {},
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
      ),
    TEXT,
    DAMAGED,
  ],
  ['elements 100,000 deep', 'a.docx', () => docxOf(deep(100_000, '<w:p>', '</w:p>')), TOO_LARGE],
  [
    'a picture that is on another server',
    'a.docx',
    () =>
      docxOf(WORDS, {
        'word/_rels/document.xml.rels':
          '<Relationships><Relationship Id="rId9" TargetMode="External" Target="http://127.0.0.1:1/x.png"/></Relationships>',
      }),
    TEXT,
  ],
  ['elements of a sheet 100,000 deep', 'a.xlsx', () => sheet(deep(100_000, '<row>', '</row>')), TOO_LARGE],
  [
    'a cell in the last row and column',
    'a.xlsx',
    () => sheet('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    TEXT,
  ],
  [
    'cells that follow each other backwards',
    'a.xlsx',
    () => sheet(`<row r="9"><c r="ZZZ9"><v>1</v></c><c r="A9"><v>2</v></c></row>${sheetRows([['a']])}`),
    TEXT,
  ],
  ['a million cells in a row', 'a.xlsx', () => sheet(`<row r="1">${'<c><v>1</v></c>'.repeat(1_000_000)}</row>`), TEXT],
  ['strings that do not exist', 'a.xlsx', () => sheet('<row><c t="s"><v>99999999</v></c></row>'), DAMAGED],
  [
    'a sheet that is not there',
    'a.xlsx',
    () => zipped({ 'xl/workbook.xml': '<workbook><sheets><sheet name="a" id="x"/></sheets></workbook>' }),
    DAMAGED,
  ],
  [
    'rows and cells that stand for a billion',
    'a.ods',
    () =>
      odsOf(
        `<table:table><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000">${'<text:p>goat goat goat goat</text:p>'.repeat(50)}</table:table-cell></table:table-row></table:table>`,
      ),
    TEXT,
  ],
  ['a sheet 100,000 deep', 'a.ods', () => odsOf(deep(100_000, '<table:table>', '</table:table>')), TOO_LARGE],
  ['a workbook of nothing', 'a.xls', () => cfb('Workbook'), DAMAGED],
  ['a workbook cut off', 'a.xls', () => xlsOf({ A: [['The goat', 'ate']] }).subarray(0, 3_000), DAMAGED, TEXT],
  ['spaces that stand for a billion', 'a.odt', () => odtOf(`<text:p>a<text:s text:c="1000000000"/>b</text:p>`), TEXT],
  ['an OpenDocument text 100,000 deep', 'a.odt', () => odtOf(deep(100_000, '<text:p>', '</text:p>')), TOO_LARGE],
  ['a Word document of nothing', 'a.doc', () => cfb('WordDocument'), DAMAGED],
  ['a PDF of nothing', 'a.pdf', () => '%PDF-1.7\nnothing', DAMAGED],
  ['a PDF cut off', 'a.pdf', () => pdfOf([lines(['The goat.'])]).subarray(0, 420), DAMAGED, TEXT],
  [
    'pages that contain themselves',
    'a.pdf',
    () => pdfObjects('<< /Type /Pages /Count 1 /Kids [2 0 R] >>', '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
    DAMAGED,
  ],
  [
    'a PDF that says to have two billion pages',
    'a.pdf',
    () => pdfObjects('<< /Type /Page /Parent 2 0 R >>', '<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>'),
    DAMAGED,
  ],
  [
    'a page that unpacks to 200 MiB',
    'a.pdf',
    () =>
      pdfObjects('<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 9 9] >>', undefined, [
        `<< /Filter /FlateDecode /Length ${flateBomb.length} >>\nstream\n${flateBomb}\nendstream`,
      ]),
    DAMAGED,
    TOO_LARGE,
  ],
  [
    'a PDF with a script and a program to start',
    'a.pdf',
    () =>
      Buffer.from(
        pdfOf([lines(['The goat ate the rope.'])])
          .toString('latin1')
          .replace('/Type /Catalog', '/Type /Catalog /OpenAction << /S /JavaScript /JS (while(true){}) >>'),
        'latin1',
      ),
    TEXT,
  ],
  ['markup 100,000 deep', 'a.html', () => `<html>${deep(100_000, '<div>', '</div>')}The goat.</html>`, TEXT],
  ['a quote that is never closed', 'a.csv', () => `a,b\n"${'x,'.repeat(500_000)}`, TEXT],
  ['a million columns', 'a.csv', () => `${'a,'.repeat(1_000_000)}\n1`, TEXT],
  ['JSON 100,000 deep', 'a.json', () => deep(100_000, '[', ']'), TEXT],
  ['groups 100,000 deep', 'a.rtf', () => `{\\rtf1 ${deep(100_000, '{', '}')}}`, TOO_LARGE],
  [
    'control words without an end',
    'a.rtf',
    () => `{\\rtf1 The goat. ${'\\u-99999999999999999999'.repeat(10_000)}`,
    TEXT,
  ],
  [
    'parts of a message 10,000 deep',
    'a.eml',
    () => `${MAIL}Content-Type: multipart/mixed; boundary=b0\r\n\r\n${nestedMail(10_000)}`,
    DAMAGED,
    TEXT,
  ],
  [
    'messages 1,000 deep',
    'a.eml',
    () => `${`${MAIL}Content-Type: message/rfc822\r\n\r\n`.repeat(1_000)}${MAIL}\r\nThe goat.`,
    TEXT,
  ],
  [
    'a mailbox of 300,000 messages',
    'a.mbox',
    () => 'From a Tue Mar  5 09:30:00 2024\nFrom: a\nTo: b\n\ngoat\n\n'.repeat(300_000),
    TOO_LARGE,
  ],
  ['an e-mail of Outlook whose directory leads back to itself', 'a.msg', () => circularMessage(), DAMAGED],
  [
    'a page with 500,000 style rules',
    'a.html',
    () => `<style>${'.x{display:none}'.repeat(500_000)}</style>`,
    TOO_LARGE,
  ],
  ['a picture that says to have 900 million pixels', 'a.png', () => png(30_000, 30_000, 1), TOO_LARGE],
  ['a picture of 196 million white pixels in 100 KB', 'a.png', () => png(14_000, 14_000), DAMAGED],
  ['a picture cut off', 'a.png', () => png(500, 500).subarray(0, 60), DAMAGED],
  ['a picture of less data than it says', 'a.png', () => png(500, 500, 3), DAMAGED],
  [
    'a frame that says to have 4 billion pixels',
    'a.gif',
    () => Buffer.from('GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0;', 'latin1'),
    TOO_LARGE,
    DAMAGED,
  ],
  [
    'a drawing that names a file',
    'a.png',
    () => '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/><script>x</script></svg>',
    DAMAGED,
    TEXT,
  ],
  [
    'a page of 300,000 tiny pictures',
    'a.pdf',
    () => drawing('q 1 0 0 1 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q\n'.repeat(300_000)),
    TOO_LARGE,
    DAMAGED,
  ],
  ['a page of 10 km', 'a.pdf', () => drawing('1 g 0 0 9 9 re f', '0 0 28000000 28000000'), DAMAGED],
  ['10,000 pages without text', 'a.pdf', () => manyPages(10_000), TOO_LARGE],
  [
    'a JPEG that says to have 4 billion pixels',
    'a.jpg',
    () => Buffer.from('ffd8ffc0000b08ffffffff0101110000ffda0008010100003f00ffd9', 'hex'),
    TOO_LARGE,
    DAMAGED,
  ],
  ['a TIFF whose list of pages leads back to its beginning', 'a.tif', () => circularTiff(), TOO_LARGE, DAMAGED],
  ['a list of files', 'a.mp4', () => "ffconcat version 1.0\nfile '/etc/passwd'\n", 'inline', TEXT],
  ['a playlist', 'a.m4a', () => '#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n', 'inline', TEXT],
  ['a description of a stream', 'a.webm', () => 'v=0\nc=IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 0\n', 'inline', TEXT],
  ['a header of 5 MB', 'a.eml', () => `${MAIL}X-Long: ${'x'.repeat(5_000_000)}\r\n\r\nThe goat.`, DAMAGED, TEXT],
];

function circularMessage(): Buffer {
  const message = outlookOf({ '0037001F': 'goats', '1000001F': 'The goat.' });
  const entry = entryAt(message, '__substg1.0_1000001F');
  message.writeUInt32LE((entry - (message.readUInt32LE(48) + 1) * 512) / 128, entry + 68);
  return message;
}

let folder: string;
let pool: Pool;
let blobs: DiskBlobStore;
let jobs: TextJobs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-hostile-'));
  blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  pool = new Pool({ folder: join(folder, 'scratch'), size: 2 });
  jobs = new TextJobs({
    pool,
    slowPool: pool,
    texts: new DocumentTexts(blobs),
    blobs,
    resources: async () => NO_RESOURCES,
  });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

async function outcomeOf(name: string, content: string | Uint8Array): Promise<string> {
  const bytes = Buffer.from(content);
  const blob = 'org/doc/upload.file';
  await blobs.put(blob, bytes);
  const file: FileRef = { blob, bytes: bytes.length, name, contentType: null, fileType: null, mimeType: null };
  const document = { organization: 'org', id: 'doc', type: 'text', documentDate: null, content: { file } } as Live;
  try {
    const source = await jobs.sourceOf(document);
    if (!('job' in source)) return 'refused' in source ? source.refused.code : 'inline';
    const outcome = await jobs.extract(document, source.job, { caller: 'org' });
    return 'refused' in outcome ? outcome.refused.code : TEXT;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

for (const [what, name, make, ...expected] of FILES) {
  test(`${what} (${name})`, async () => {
    expect(expected).toContain(await outcomeOf(name, make()));
  });
}

test('the next file is read', async () => {
  expect(await outcomeOf('a.docx', docxOf(WORDS))).toBe(TEXT);
});
