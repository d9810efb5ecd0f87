import { rtfToText } from './rtf.ts';

const read = (body: string, encoding: BufferEncoding = 'latin1') => rtfToText(Buffer.from(body, encoding));
const FONTS =
  '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204{\\*\\panose 020b}Arial Cyr;}{\\f2\\fnil\\fcharset128 Mincho;}}';
const rtf = (text: string, head = `\\ansicpg1252\\deff0${FONTS}`) => `{\\rtf1\\ansi${head}${text}}`;

test('bytes are read in the character set of their font', () => {
  const { text, encoding } = read(
    rtf("\\f0 caf\\'e9 \\f1 \\'cf\\'e0\\'f0\\'ee\\'ec {\\f2 \\'8d\\'60} \\'e9 \\plain\\'e9"),
  );
  expect(text).toBe('café Паром 港 й é');
  expect(encoding).toBeNull();
});

test('the encoding is that of all bytes beyond ASCII', () => {
  expect(read(rtf("Sign: \\f1 \\'e9"))).toMatchObject({ text: 'Sign: й', encoding: 'windows-1251' });
  expect(read(rtf('Sign \\u1081 ?'))).toMatchObject({ text: 'Sign й', encoding: null });
});

test.each([
  ['the code page of the file', "\\ansicpg1251{\\fonttbl{\\f0 Arial;}}\\f0 \\'e9", 'й'],
  ['the default font', "\\ansicpg1252\\deff1{\\fonttbl{\\f1\\fcharset204 Arial;}}\\'e9", 'й'],
  ['fonts without groups', "{\\fonttbl\\f0\\fcharset0 A;\\f1\\fcharset238 B;}\\f1 \\'e8", 'č'],
  ['the code page of a font', "{\\fonttbl{\\f0\\fcharset1\\cpg1253 A;}}\\f0 \\'e1", 'α'],
  [
    'one character set for all fonts',
    "\\ansicpg1251{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset0 B;}}\\f1 \\'e9",
    'й',
  ],
  ['a western font beside others', `\\ansicpg1251${FONTS}\\f0 \\'e9`, 'é'],
  ['Macintosh', "\\mac \\'8e", 'é'],
])('%s decides', (_, text, expected) => {
  expect(read(rtf(text, '')).text).toBe(expected);
});

test('a character of two bytes may have a letter, a sign or a line end inside', () => {
  expect(read(rtf("\\f2 \\'8d`\\'83\\\\\\'8d\r\n\\'60")).text).toBe('港ソ港');
});

test('bytes that are not escaped are read alike, as is a file in UTF-8', () => {
  expect(read(rtf('\\f1 \xcf\xe0\xf0\xee\xec')).text).toBe('Паром');
  expect(read(rtf("\\f0 Паром caf\\'e9"), 'utf8').text).toBe('Паром café');
});

test('the title has the code page of the file', () => {
  expect(read(rtf("{\\info{\\title \\'cf\\'e0\\'f0\\'ee\\'ec}}x", '\\ansicpg1251')).title).toBe('Паром');
});

test('bytes of a code page that is not known fail, unless they are not read', () => {
  expect(() => read(rtf("\\'81", '\\ansicpg437'))).toThrow('Save it as UTF-8');
  expect(read(rtf("{\\*\\generator \\'81}plain", '\\ansicpg437')).text).toBe('plain');
});

test.each([
  ['hidden words', "Seven {\\v\\f1 secret \\u8364? \\'cf\\emdash} o clock", 'Seven  o clock'],
  ['hidden words without a group', 'Seven\\v  secret\\v0  o clock', 'Seven o clock'],
  ['deleted words', 'Seven {\\revised new}{\\deleted\\revauthdel1 old}', 'Seven new'],
  ['words that were moved', '{\\mvf old place}{\\mvt new place}', 'new place'],
  ['words inside groups of hidden ones', '{\\v a{\\b b{\\v0 shown}}c}d', 'shownd'],
  ['words that are both hidden and deleted', '\\v\\deleted a\\v0 b\\deleted0 c', 'c'],
  ['up to the next plain words', '\\v\\deleted secret\\pard secret\\plain shown', 'shown'],
  ['a hidden paragraph', 'a\\par{\\v secret\\par}b', 'a\n\nb'],
  ['hidden words of a cell', '\\trowd a\\cell{\\v secret\\cell}c\\cell\\row', 'a |  | c\n'],
  ['entries of an index and a table of contents', 'Seven{\\xe\\v Clock}{\\tc Seven}', 'Seven'],
])('%s are left out', (_, text, expected) => {
  expect(read(rtf(text)).text).toBe(expected);
});

test.each([
  [
    'paragraphs and lines of a cell are words of its row',
    '\\trowd\\pard\\intbl item\\par of oak\\cell\\pard\\intbl euro\\line cent\\par\\cell\\row\\trowd\\pard\\intbl\\par\\cell\\pard\\intbl 12\\cell\\row\\pard Sold.\\par On Monday.',
    'item of oak | euro cent\n | 12\nSold.\n\nOn Monday.',
  ],
  [
    'rows of a table in a cell are lines',
    [
      '\\trowd\\pard\\intbl\\itap2 item\\nestcell\\pard\\intbl\\itap2 euro\\nestcell',
      '{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}',
      '\\pard\\intbl\\itap2 rope\\nestcell\\pard\\intbl\\itap2 12\\nestcell{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}',
      '\\pard\\intbl of the yard\\cell\\row',
    ].join(''),
    'item | euro\nrope | 12\nof the yard\n',
  ],
])('%s', (_, text, expected) => {
  expect(read(rtf(text)).text).toBe(expected);
});
