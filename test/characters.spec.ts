import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, Mneme } from './support/mneme.ts';

/** Files in many encodings, made by several programs, over HTTP: what they say, and how they were decoded. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Found {
  readonly status: string;
  readonly content: string | null;
  readonly encoding?: string;
  readonly processingError: { readonly code: string; readonly message: string } | null;
}

const fixture = (name: string) => readFile(join(import.meta.dirname, 'fixtures/characters', name));

async function uploaded(name: string, bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type: 'application/octet-stream' }), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const { id } = (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body;
  return (await mneme.settled(id)) as unknown as Found;
}

test.each([
  // Code pages without a declaration.
  ['text-cp1251.txt', 'windows-1251', 'Паром уходит в семь часов утра с восточного причала.'],
  ['koi8-r-vim.txt', 'koi8-r', 'Маяк стоит на южном берегу с прошлого века.'],
  ['koi8-u-python.txt', 'koi8-u', 'Маяк стоїть на південному березі.'],
  ['subtitles-cp1251.srt', 'windows-1251', 'Маяк стоит на южном берегу'],
  ['windows-1250-iconv.txt', 'windows-1250', 'prowadzi dziennik pogody, żeby ostrzec statki.'],
  ['windows-1252-vim.txt', 'windows-1252', 'tient un journal de la météo : « 3 € l’entrée ».'],
  ['windows-1253-uconv.txt', 'windows-1253', 'Ο φάρος στέκεται στη νότια ακτή.'],
  ['windows-1254-perl.txt', 'windows-1254', 'Deniz feneri güney kıyısında duruyor.'],
  ['windows-1255-python.txt', 'windows-1255', 'המגדלור עומד על החוף הדרומי.'],
  ['windows-1256-iconv.txt', 'windows-1256', 'تقف المنارة على الشاطئ الجنوبي.'],
  ['iso-8859-2-perl.txt', 'iso-8859-2', 'Maják stojí na jižním pobřeží.'],
  ['iso-8859-15-iconv.txt', 'iso-8859-15', 'pääsymaksu on 3 €, žurnaali 5 €.'],
  ['text-gbk.txt', 'gb18030', '渡轮早上七点从东码头出发。'],
  ['gb18030-uconv.txt', 'gb18030', '票价3€。'],
  ['big5-iconv.txt', 'big5', '燈塔矗立在南岸。'],
  ['shift-jis-uconv.txt', 'shift_jis', '灯台は南の海岸に立っている。'],
  ['euc-jp-perl.txt', 'euc-jp', '灯台は南の海岸に立っている。'],
  ['euc-kr-python.txt', 'euc-kr', '등대는 남쪽 해안에 서 있다.'],
  ['markdown-windows-1252.md', 'windows-1252', 'Der Leuchtturm ist 30 m hoch und außen weiß.'],
  // Short tables.
  ['csv-cp1251.csv', 'windows-1251', 'имя: Ольга; город: Казань'],
  ['csv-sjis.csv', 'shift_jis', '氏名: 山田; 都市: 大阪'],
  ['csv-windows-1250-python.csv', 'windows-1250', 'město: České Budějovice'],
  ['csv-euc-kr-perl.tsv', 'euc-kr', '이름: 김철수; 도시: 부산'],
  // UTF-16.
  ['utf-16-mark.txt', 'utf-16le', 'Der Wärter schläft.'],
  ['utf-16le-iconv.txt', 'utf-16le', 'Die Leuchttürme stehen an der Südküste.'],
  ['utf-16be-vim.txt', 'utf-16be', '番人は隣に住み、天気の日記をつけている。'],
  ['utf-16le-python.csv', 'utf-16le', 'имя: Пётр; город: Самара'],
  // UTF-8, whole and damaged.
  ['utf-8-mark.txt', 'utf-8', 'Der Wärter schläft.'],
  [
    'n-text-utf8-truncated.txt',
    'utf-8',
    'Die Fähre fährt um sieben. Überfahrt täglich außer Montag. Schöne Grüße\ufffd',
  ],
  ['utf-8-one-bad-byte.txt', 'utf-8', 'Der Wärter führt e\ufffdin Tagebuch'],
  ['utf-8-cut-both-ends.txt', 'utf-8', '\ufffdßen steht der große Turm.'],
  ['utf-8-mixed-log.txt', 'utf-8', '[info] Ger\ufffd\n'],
  // Pages that declare their charset.
  ['html-meta-cp1251.html', 'windows-1251', 'Паром уходит в семь часов утра'],
  ['html-meta-sjis.html', 'shift_jis', 'フェリーは朝七時に東の桟橋から出ます。'],
  ['n-html-gb2312.htm', 'gbk', '渡轮早上七点从东码头出发。'],
  ['html-meta-euc-kr-python.html', 'euc-kr', '등대는 남쪽 해안에 서 있다.'],
  ['html-meta-koi8-uconv.html', 'koi8-r', 'Маяк.'],
  ['html-meta-wrong.html', 'utf-8', 'Le phare est fermé l’été.'],
  ['html-xml-iso-8859-2.xhtml', 'iso-8859-2', 'Žlutý kůň stojí u majáku.'],
  // Rich text by the character sets of its fonts.
  ['rtf-fcharset.rtf', 'windows-1251', 'Timetable: Паром уходит в семь. End.'],
  ['n-rtf-charset128.rtf', 'shift_jis', 'Sign: 港の東 end.'],
  ['n-rtf-ansicpg1251.rtf', 'windows-1251', 'Паром уходит в семь.'],
])('%s is read as %s', async (name, encoding, text) => {
  const found = await uploaded(name, await fixture(name));
  expect(found).toMatchObject({ status: 'done', encoding });
  expect(found.content).toContain(text);
});

test.each(['utf-8-half-latin1.txt', 'junk-high.txt', 'junk-short.txt', 'junk-no-nul.txt'])(
  '%s fails, and the reason asks for UTF-8',
  async (name) => {
    const message = 'The encoding of the text is not known. Save it as UTF-8, and upload it again.';
    const failed = { status: 'failed', content: null, processingError: { code: 'extraction_failed', message } };
    expect(await uploaded(name, await fixture(name))).toMatchObject(failed);
  },
);

test('binary data under the name of a text is no text', async () => {
  const failed = { status: 'failed', content: null, processingError: { code: 'unsupported_type' } };
  expect(await uploaded('junk-nul.txt', await fixture('junk-nul.txt'))).toMatchObject(failed);
});

test('the charset of the media type of an upload decides', async () => {
  const fields = { mimeType: 'text/plain; charset=koi8-r' };
  const found = await uploaded('short.txt', new Uint8Array([0xed, 0xc1, 0xd1, 0xcb]), fields);
  expect(found).toMatchObject({ status: 'done', content: 'Маяк', encoding: 'koi8-r' });
});

test('a string has no encoding, whatever it declares', async () => {
  const content = '<html><head><meta charset="koi8-r"></head><body><p>Le phare est fermé l’été.</p></body></html>';
  const { body } = await mneme.get(`/v3/documents/${await mneme.addAndWait(content)}`);
  expect(body).not.toHaveProperty('encoding');
  expect(body).toMatchObject({ status: 'done', content });
});

test.each([
  ['n-json-bigint.json', ['order: 12345678901234567890', 'tracking: 9007199254740993', 'version: 1.10']],
  ['numbers.json', ['account: -0.10', 'rate: 1e5', 'id: 123456789012345678', 'list: 1.0, 2, 3.14']],
  ['numbers.jsonl', ['id: 9223372036854775807; price: 19.90', 'id: 9223372036854775806; price: 5.00']],
])('%s keeps its numbers as they are written', async (name, lines) => {
  const { content } = await uploaded(name, await fixture(name));
  for (const line of lines) expect(content).toContain(line);
});

describe('characters that are not shown', () => {
  const MARKS = ['\u00ad', '\u200b', '\u2060', '\ufeff'];
  const search = async (q: string, containerTag: string) => {
    const query = { q, containerTag, threshold: 0, explain: true, searchMode: 'hybrid' };
    type Hit = { readonly memory?: string; readonly chunk?: string; readonly explain: { readonly coverage: number } };
    return (await mneme.post<{ results: readonly Hit[] }>('/v4/search', query)).body.results;
  };

  test.each(MARKS)('%j neither divides nor hides a word, in a text and in a question', async (mark) => {
    const tag = `mark-${mark.charCodeAt(0)}`;
    const content = `The light${mark}house keeper paints the har${mark}bour wall.`;
    const id = await mneme.addAndWait(content, { containerTag: tag });
    expect((await mneme.get(`/v3/documents/${id}`)).body).toMatchObject({ content });
    await mneme.post('/v4/memories', { containerTag: `${tag}-own`, memories: [{ content }] });
    for (const q of ['lighthouse', `li${mark}ghthouse`, `harbour${mark}`]) {
      expect((await search(q, tag))[0]).toMatchObject({ explain: { coverage: 1 } });
      const own = await eventually(async () => (await search(q, `${tag}-own`))[0] ?? null);
      expect(own).toMatchObject({ memory: content, explain: { coverage: 1 } });
    }
    expect(await search('light', tag)).toEqual([]);
  });

  test.each(['invisible.txt', 'invisible.html', 'invisible.csv'])('%s is read without them', async (name) => {
    const { content } = await uploaded(name, await fixture(name));
    expect(content).toContain('lighthouse');
    expect(content).toContain('breakwater');
    expect(content).not.toMatch(/[\u00ad\u200b\u2060\ufeff]/);
  });

  test('soft hyphens of a page are no part of its words', async () => {
    const { content } = await uploaded('n-html-shy.html', await fixture('n-html-shy.html'));
    expect(content).toContain('Die Donaudampfschifffahrt beginnt im April.\n\nThe lighthouse keeper is Orla.');
  });
});
