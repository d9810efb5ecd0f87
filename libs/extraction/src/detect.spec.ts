import fc from 'fast-check';
import { decodeText, detectKind, isUrl, type Upload } from './index.ts';

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
  ])('reads %s as %s', (fileName, kind) => {
    expect(detectKind(upload({ fileName }))).toEqual({ kind, type: 'text' });
  });

  test('believes an override, then magic bytes, then the content type, then the extension', () => {
    const png = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
    expect(detectKind(upload({ fileName: 'a.txt', contentType: 'text/csv' }))).toMatchObject({ kind: 'csv' });
    expect(detectKind(upload({ fileName: 'a.txt', contentType: 'text/csv', bytes: png }))).toMatchObject({
      type: 'image',
    });
    expect(detectKind(upload({ fileName: 'a.txt', bytes: png, fileType: 'video' }))).toMatchObject({ type: 'video' });
    expect(detectKind(upload({ fileName: 'a.txt', mimeType: 'application/json; charset=utf-8' }))).toMatchObject({
      kind: 'json',
    });
    expect(detectKind(upload({ fileName: 'a.txt', fileType: 'webpage' }))).toEqual({ kind: 'html', type: 'webpage' });
  });

  test('keeps the named origin as the type and finds the format as usual', () => {
    expect(detectKind(upload({ fileName: 'rows.csv', fileType: 'google_sheet' }))).toEqual({
      kind: 'csv',
      type: 'google_sheet',
    });
  });

  test('lets the extension refine what clients say too broadly', () => {
    expect(detectKind(upload({ fileName: 'a.md', contentType: 'text/plain' }))).toMatchObject({ kind: 'markdown' });
    expect(detectKind(upload({ fileName: 'a.csv', contentType: 'application/vnd.ms-excel' }))).toMatchObject({
      kind: 'csv',
    });
  });

  test.each([
    ['pdf', utf8('%PDF-1.7 …'), 'pdf'],
    ['jpeg', bytes(0xff, 0xd8, 0xff, 0xe0), 'image'],
    ['webp', utf8('RIFF0000WEBPVP8 '), 'image'],
    ['wav', utf8('RIFF0000WAVEfmt '), 'audio'],
    ['mp4', utf8('0000ftypisom'), 'video'],
    ['m4a', utf8('0000ftypM4A '), 'audio'],
    ['docx', utf8('PK\x03\x04…'), 'text'],
    ['NUL bytes', utf8('ab\0cd'), 'text'],
  ])('refuses %s with a reason', (_name, content, type) => {
    const detected = detectKind(upload({ bytes: content, fileName: 'secret-name.bin' }));
    expect(detected).toEqual({ unsupported: expect.any(String), type });
    expect(JSON.stringify(detected)).not.toContain('secret');
  });

  test('cannot be told to read a known binary format as text', () => {
    expect(detectKind(upload({ bytes: utf8('%PDF-1.7'), fileType: 'text', mimeType: 'text/plain' }))).toHaveProperty(
      'unsupported',
    );
  });

  test('takes UTF-16 with its mark for text', () => {
    expect(detectKind(upload({ bytes: bytes(0xff, 0xfe, 0x41, 0) }))).toMatchObject({ kind: 'text' });
  });

  test('answers for any bytes and names', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string(),
        fc.string(),
        fc.string(),
        (content, fileName, contentType, fileType) => {
          const detected = detectKind({ bytes: content, fileName, contentType, fileType, mimeType: contentType });
          expect('kind' in detected || 'unsupported' in detected).toBe(true);
        },
      ),
    );
  });
});

describe('decodeText', () => {
  test('reads UTF-8, UTF-16 with a mark, and windows-1252', () => {
    expect(decodeText(utf8('\ufeffnaïve 猫'))).toBe('naïve 猫');
    expect(decodeText(bytes(0xff, 0xfe, 0x2b, 0x73))).toBe('猫');
    expect(decodeText(bytes(0xfe, 0xff, 0x73, 0x2b))).toBe('猫');
    expect(decodeText(bytes(0x35, 0x20, 0x80, 0xe9))).toBe('5 €é');
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
  ])('%j is none', (text) => {
    expect(isUrl(text)).toBe(false);
  });
});
