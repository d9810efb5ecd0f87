import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeText } from './decode-text.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text);
const fixture = (name: string) => readFileSync(join('test/fixtures/characters', name));

const UNKNOWN = { code: 'extraction_failed', message: expect.stringContaining('UTF-8') };

test.each([
  ['a mark of UTF-8', '\xef\xbb\xbfcaf\xc3\xa9', null, 'café', 'utf-8'],
  ['a mark of UTF-16, before a declaration', '\xff\xfe\x2b\x73', 'windows-1251', '猫', 'utf-16le'],
  ['a mark of UTF-16BE', '\xfe\xff\x73\x2b', null, '猫', 'utf-16be'],
  ['valid UTF-8, before a declaration', 'caf\xc3\xa9', 'windows-1251', 'café', 'utf-8'],
  ['what is declared', '\xc1', 'koi8-r', 'а', 'koi8-r'],
  ['a declaration by the number of a code page', '\x8d\x60', 'CP932', '港', 'shift_jis'],
  ['a declaration of an older standard', '\xb6\xc9', 'gb2312', '渡', 'gbk'],
  ['escapes that are declared', '\x1b$BG-\x1b(B', 'ISO-2022-JP', '猫', 'iso-2022-jp'],
  ['ASCII', 'cafe', null, 'cafe', 'utf-8'],
  ['no bytes', '', null, '', 'utf-8'],
])('%s', async (_, text, declared, read, encoding) => {
  expect(await decodeText(bytes(text), declared)).toEqual({ text: read, encoding });
});

test.each([
  ['<meta charset="koi8-r"><p>\xc1', 'koi8-r'],
  [
    '<html><!-- <meta charset="big5"> --><meta http-equiv="Content-Type" content="text/html;charset=koi8-r">\xc1',
    'koi8-r',
  ],
  ['<meta name="description" content="charset=big5"><meta charset=koi8-r>\xc1', 'koi8-r'],
  ["<?xml version='1.0' encoding='koi8-r'?><a>\xc1</a>", 'koi8-r'],
])('%j declares %s', async (text, encoding) => {
  const read = await decodeText(bytes(text));
  expect(read).toMatchObject({ encoding, text: expect.stringContaining('а') });
});

test('the charset of the media type counts more than that of the page', async () => {
  expect((await decodeText(bytes('<meta charset="koi8-r">\xe0'), 'windows-1251')).encoding).toBe('windows-1251');
});

test.each(['utf-8', 'us-ascii', 'utf-16', 'none-such', 'shift_jis'])(
  'the declaration of %s counts for nothing if the bytes are something else',
  async (declared) => {
    expect((await decodeText(fixture('text-cp1251.txt'), declared)).encoding).toBe('windows-1251');
  },
);

test('a text that is not markup declares nothing', async () => {
  const text = Buffer.concat([utf8('See <meta charset="koi8-r">: '), fixture('text-cp1251.txt')]);
  expect((await decodeText(text)).encoding).toBe('windows-1251');
});

describe('UTF-8 with errors', () => {
  const words = 'Größe über Höhe. ';

  test('one error in a short text costs one character', async () => {
    const text = Buffer.concat([utf8(words), bytes('\xff'), utf8(words)]);
    expect(await decodeText(text)).toEqual({ text: `${words}\ufffd${words}`, encoding: 'utf-8' });
  });

  test('so does a cut end', async () => {
    expect(await decodeText(utf8(`${words}Maß`).subarray(0, -1))).toMatchObject({ text: `${words}Ma\ufffd` });
  });

  test('one error in a hundred characters costs one character each', async () => {
    const part = Buffer.concat([utf8(words.repeat(6)), bytes('\xe4')]);
    const { text, encoding } = await decodeText(Buffer.concat(Array.from({ length: 9 }, () => part)));
    expect(encoding).toBe('utf-8');
    expect(text).toBe(`${words.repeat(6)}\ufffd`.repeat(9));
  });

  test('more errors fail', async () => {
    const part = Buffer.concat([utf8(words), bytes('\xe4')]);
    await expect(decodeText(Buffer.concat(Array.from({ length: 9 }, () => part)))).rejects.toMatchObject(UNKNOWN);
    await expect(decodeText(fixture('utf-8-half-latin1.txt'))).rejects.toMatchObject(UNKNOWN);
  });

  test('a few other bytes in ASCII are letters of a code page inside of words, and cost a character elsewhere', async () => {
    const prose = 'The keeper walks to the harbour and paints the wall. '.repeat(4);
    expect(await decodeText(bytes(`${prose}The caf\xe9s of L\xe9a don\x92t open.`))).toMatchObject({
      ...{ encoding: 'windows-1252', text: expect.stringContaining('The cafés of Léa don’t open.') },
    });
    for (const odd of ['\xff', ' \xc3', '\x80\x81']) {
      const { text, encoding } = await decodeText(bytes(`${prose}${odd} ${prose}`));
      expect(encoding).toBe('utf-8');
      expect(text).toContain('\ufffd');
    }
  });
});

describe('UTF-16 without a mark', () => {
  test.each(['The goat', 'Дом у моря', 'Größe – “schön”', '灯台は南の海岸に立っている。\n番人は隣に住む。'])(
    '%s',
    async (text) => {
      const le = Buffer.from(text, 'utf16le');
      expect(await decodeText(le)).toEqual({ text, encoding: 'utf-16le' });
      expect(await decodeText(Buffer.from(le).swap16())).toEqual({ text, encoding: 'utf-16be' });
    },
  );
});

test.each([
  ['windows-1251', 'cf f0 e8 e2 e5 f2'],
  ['windows-1252', '43 61 66 e9'],
  ['gbk', 'c4 e3 ba c3'],
])('a word alone, as in %s, is too short', async (_, hex) => {
  await expect(decodeText(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).rejects.toMatchObject(UNKNOWN);
});

test('syllables of Korean that only code page 949 has', async () => {
  const text = Buffer.from('c2f7b8a620c5b8b0ed20bfc2208c63b9e6b0a2c7cf', 'hex');
  expect((await decodeText(text, 'ks_c_5601-1987')).text).toBe('차를 타고 온 똠방각하');
});

test('letters far behind the beginning are found', async () => {
  const text = Buffer.concat([bytes('A line of ASCII.\n'.repeat(20_000)), fixture('text-cp1251.txt')]);
  expect((await decodeText(text)).encoding).toBe('windows-1251');
  const oneLine = Buffer.concat([bytes('ASCII without an end '.repeat(20_000)), fixture('text-cp1251.txt')]);
  expect((await decodeText(oneLine)).encoding).toBe('windows-1251');
});

test.each([
  ['UTF-8 read as a code page', utf8('Größe über Höhe. '.repeat(9)).toString('latin1')],
  ['letters of DOS', 'Gr\x94\xe1e \x81ber H\x94he. Sch\x94ne Gr\x81\xe1e. '.repeat(3)],
  ['letters of the Macintosh', 'Le caf\x8e est ferm\x8e l\xd5\x8et\x8e. '.repeat(3)],
])('%s is not taken for a code page of Windows', async (_, text) => {
  const { encoding } = await decodeText(bytes(text)).catch(() => ({ encoding: 'utf-8' }));
  expect(encoding).toBe('utf-8');
});

test.each(['junk-high.txt', 'junk-no-nul.txt', 'junk-short.txt'])('%s is no text', async (name) => {
  await expect(decodeText(fixture(name))).rejects.toMatchObject(UNKNOWN);
});
