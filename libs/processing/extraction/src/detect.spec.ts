import fc from 'fast-check';
import { zipSync } from 'fflate';
import { detectKind, isUrl, type Upload } from './index.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const upload = (given: Partial<Upload>): Upload => ({
  bytes: utf8('words'),
  fileName: null,
  contentType: null,
  ...given,
});
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe('detectKind', () => {
  test.each([
    ['notes.txt', 'text'],
    ['notes.md', 'markdown'],
    ['rows.CSV', 'csv'],
    ['data.json', 'json'],
    ['page.html', 'html'],
    ['unknown_file', 'text'],
    ['code.weird', 'text'],
  ])('reads %s as %s', async (fileName, kind) => {
    expect(await detectKind(upload({ fileName }))).toEqual({ kind, type: 'text' });
  });

  test('prefers an override, then magic bytes, then the content type, then the extension', async () => {
    const png = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
    expect(await detectKind(upload({ fileName: 'a.txt', contentType: 'text/csv' }))).toMatchObject({ kind: 'csv' });
    expect(await detectKind(upload({ fileName: 'a.txt', contentType: 'text/csv', bytes: png }))).toMatchObject({
      type: 'image',
    });
    expect(await detectKind(upload({ fileName: 'a.txt', bytes: png, fileType: 'video' }))).toMatchObject({
      type: 'video',
    });
    expect(await detectKind(upload({ fileName: 'a.txt', mimeType: 'application/json; charset=utf-8' }))).toMatchObject({
      kind: 'json',
    });
    expect(await detectKind(upload({ fileName: 'a.txt', fileType: 'webpage' }))).toEqual({
      kind: 'html',
      type: 'webpage',
    });
  });

  test.each([
    ['a JPEG', bytes(0xff, 0xd8, 0xff, 0xe0)],
    ['a PNG', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
    ['a GIF', utf8('GIF89a')],
    ['a WebP', utf8('RIFF0000WEBPVP8 ')],
    ['a TIFF', bytes(0x49, 0x49, 0x2a, 0, 8, 0, 0, 0)],
    ['an AVIF', utf8('\0\0\0\x1cftypavif\0\0\0\0mif1miaf')],
    ['an AVIF that names it second', utf8('\0\0\0\x1cftypmif1\0\0\0\0avifmiaf')],
    ['a BMP', bytes(0x42, 0x4d, 0x36, 0, 0, 0, 0, 0, 0, 0)],
  ])('finds that a file is %s, whatever it is called', async (_name, content) => {
    const declared = { fileName: 'a.txt', contentType: 'text/plain', mimeType: 'text/plain' };
    expect(await detectKind(upload({ ...declared, bytes: content }))).toEqual({ kind: 'image', type: 'image' });
  });

  test('a drawing is not read as a picture', async () => {
    const svg = upload({ bytes: utf8('<svg xmlns="http://www.w3.org/2000/svg"/>'), fileName: 'a.svg' });
    expect(await detectKind(svg)).not.toHaveProperty('kind', 'image');
  });

  test('keeps the given fileType as the type and detects the format', async () => {
    expect(await detectKind(upload({ fileName: 'rows.csv', fileType: 'google_sheet' }))).toEqual({
      kind: 'csv',
      type: 'google_sheet',
    });
  });

  test('refines a generic content type by the extension', async () => {
    expect(await detectKind(upload({ fileName: 'a.md', contentType: 'text/plain' }))).toMatchObject({
      kind: 'markdown',
    });
    expect(await detectKind(upload({ fileName: 'a.csv', contentType: 'application/vnd.ms-excel' }))).toMatchObject({
      kind: 'csv',
    });
  });

  test.each([
    ['avi', utf8('RIFF0000AVI LIST'), 'video'],
    ['docx', utf8('PK\x03\x04…'), 'text'],
    ['NUL bytes', utf8('ab\0cd'), 'text'],
  ])('rejects %s with a reason', async (_name, content, type) => {
    const detected = await detectKind(upload({ bytes: content, fileName: 'secret-name.bin' }));
    expect(detected).toMatchObject({ unsupported: expect.any(String), type });
    expect(JSON.stringify(detected)).not.toContain('secret');
  });

  test.each([
    ['BM', 'BM is what the sign says.'],
    ['MZ', 'MZ is short for Mezzanine.'],
    ['solid', 'solid ground under our feet'],
    ['an XML declaration', '<?xml version="1.0"?><a>b</a>'],
    ['a calendar', 'BEGIN:VCALENDAR\nEND:VCALENDAR\n'],
    ['a page in PostScript', '%!PS-Adobe-3.0\n'],
  ])('reads a text that starts with %s', async (_name, text) => {
    expect(await detectKind(upload({ bytes: utf8(text) }))).toEqual({ kind: 'text', type: 'text' });
  });

  test('detects an office file by its content without a name or a content type', async () => {
    const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
    const types = `<Types><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`;
    const docx = zipSync({ '[Content_Types].xml': utf8(types), 'word/document.xml': utf8('<w:document/>') });
    expect(await detectKind(upload({ bytes: docx }))).toEqual({ kind: 'docx', type: 'text' });
  });

  test('reads a text as text under the name and media type of a format that it is not', async () => {
    const named = { fileName: 'report.docx', contentType: 'application/pdf', fileType: 'pdf' };
    expect(await detectKind(upload(named))).toEqual({ kind: 'text', type: 'pdf' });
  });

  test('is unsure of a container whose list of files it has not seen', async () => {
    const detected = await detectKind(upload({ bytes: bytes(0x50, 0x4b, 3, 4, 0, 0, 0, 0), fileName: 'a.docx' }));
    expect(detected).toMatchObject({ unsupported: expect.any(String), isUnsure: true });
  });

  test.each([
    ['a zip container of no known kind', bytes(0x50, 0x4b, 3, 4, 0, 0, 0, 0), 'office or archive'],
    ['an HEIC picture', utf8('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'image'],
    ['a damaged gzip file', bytes(0x1f, 0x8b, 0, 0, 0, 0), 'archive'],
  ])('detects the format of %s', async (_name, content, format) => {
    expect(await detectKind(upload({ bytes: content }))).toMatchObject({
      unsupported: expect.stringContaining(`Files of this kind (${format}) are not supported. Convert `),
    });
  });

  test.each([
    ['ChatGPT or Claude', ['chat.html', 'conversations.json'], 'conversations.json'],
    ['ChatGPT with many conversations', ['a/conversations-000.json'], 'conversations-000.json'],
    ['Telegram', ['DataExport/result.json'], 'result.json'],
    ['WhatsApp on iOS', ['IMG.jpg', '_chat.txt'], '_chat.txt'],
    ['WhatsApp on Android', ['WhatsApp Chat with Orla Byrne.txt'], 'the text file'],
    ['Slack', ['users.json', 'crew/2024-03-05.json'], '2024-03-05.json'],
    ['Discord', ['messages/index.json', 'Messages/c12/messages.json'], 'messages.json'],
  ])('names the file with the conversations in an archive of %s', async (_name, names, file) => {
    const archive = zipSync(Object.fromEntries(names.map((name) => [name, utf8('[]')])));
    expect(await detectKind(upload({ bytes: archive, fileName: 'export.zip' }))).toEqual({
      unsupported: `Files of this kind (archive) are not supported. Unpack it, and upload the file with the conversations: ${file}.`,
      ...{ type: 'text', isUnsure: true },
    });
  });

  test.each([
    ['wav', utf8('RIFF0000WAVEfmt '), 'audio'],
    ['mp4', utf8('0000ftypisom'), 'video'],
    ['m4a', utf8('0000ftypM4A '), 'audio'],
    ['webm', bytes(0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0), 'video'],
  ])('detects %s by its content, whatever its name', async (_name, content, kind) => {
    expect(await detectKind(upload({ bytes: content, fileName: 'notes.txt' }))).toEqual({ kind, type: kind });
  });

  test('takes the name of a recording for nothing where the content is another', async () => {
    expect(await detectKind(upload({ bytes: utf8('#EXTM3U\nfile:/etc/passwd'), fileName: 'a.mp4' }))).toEqual({
      ...{ kind: 'text', type: 'text' },
    });
  });

  test('detects the format from the first bytes of a file', async () => {
    const pdf = new Uint8Array(100_000).fill(0x20);
    pdf.set(utf8('%PDF-1.7'));
    expect(await detectKind(upload({ bytes: pdf.subarray(0, 64) }))).toEqual({ kind: 'pdf', type: 'pdf' });
  });

  test('reads a binary format as what it is in spite of an override to text', async () => {
    const pdf = upload({ bytes: utf8('%PDF-1.7'), fileType: 'text', mimeType: 'text/plain' });
    expect(await detectKind(pdf)).toEqual({ kind: 'pdf', type: 'text' });
    const image = upload({ bytes: bytes(0x42, 0x4d, 0, 0), fileType: 'text', mimeType: 'text/plain' });
    expect(await detectKind(image)).toHaveProperty('unsupported');
  });

  test('detects UTF-16 as text, with a byte order mark and without', async () => {
    expect(await detectKind(upload({ bytes: bytes(0xff, 0xfe, 0x41, 0) }))).toMatchObject({ kind: 'text' });
    expect(await detectKind(upload({ bytes: Buffer.from('The goat', 'utf16le') }))).toMatchObject({ kind: 'text' });
  });

  test.each([
    ['a mark of UTF-16 before other data', [0xff, 0xfe, 0, 0, 1, 0, 2, 0]],
    ['UTF-32', [0x54, 0, 0, 0, 0x68, 0, 0, 0]],
    ['words with NUL between them', [...utf8('one\0two\0three\0')]],
    ['numbers', [1, 0, 2, 0, 3, 0, 250, 0]],
  ])('%s is no text', async (_, data) => {
    expect(await detectKind(upload({ bytes: Uint8Array.from(data) }))).toHaveProperty('unsupported');
  });

  test('returns a result for any bytes and names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        fc.string(),
        fc.string(),
        fc.string(),
        async (content, fileName, contentType, fileType) => {
          const detected = await detectKind({ bytes: content, fileName, contentType, fileType, mimeType: contentType });
          expect('kind' in detected || 'unsupported' in detected).toBe(true);
        },
      ),
    );
  });
});

describe('isUrl', () => {
  test.each(['https://example.org', '  http://example.org/a?b=c#d \n', 'HTTPS://EXAMPLE.ORG/ü'])(
    '%j is one',
    (text) => {
      expect(isUrl(text)).toBe(true);
    },
  );

  test.each([
    '',
    'example.org',
    'see https://example.org',
    'https://a.org https://b.org',
    'ftp://a.org',
    'https://',
    'http://a\nb',
  ])('%j is not a URL', (text) => {
    expect(isUrl(text)).toBe(false);
  });
});
